package hdfs

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"
)

const defaultPort = "8020"

// configuration holds the settings of the Hadoop configuration.
type configuration struct {
	dir    string // "" where there is none
	values hadoopconf.HadoopConf
}

// configuration reads the directory of the configuration, if there is one.
func (o Options) configuration() (configuration, error) {
	dir := o.Configuration
	if dir == "" {
		return configuration{}, nil
	}
	if _, err := os.Stat(dir); err != nil {
		return configuration{}, fmt.Errorf("HADOOP_CONF_DIR: %w", err)
	}
	values, err := hadoopconf.Load(dir)
	if err != nil {
		return configuration{}, fmt.Errorf("the Hadoop configuration can't be read: %w", err)
	}
	for k, v := range values {
		values[k] = strings.TrimSpace(v)
	}
	return configuration{dir, values}, nil
}

// get returns a setting that is needed for an address.
func (c configuration) get(name string) (string, error) {
	v := c.values[name]
	if strings.Contains(v, "${") {
		return "", fmt.Errorf("%s in %s is %s: variables are not replaced here, write it out", name, c.dir, v)
	}
	return v, nil
}

// said names the place where a setting was looked up.
func (c configuration) said() string {
	if c.dir == "" {
		return "there is no Hadoop configuration (HADOOP_CONF_DIR is not set)"
	}
	return "the configuration in " + c.dir
}

// defaultAuthority returns the authority of fs.defaultFS.
func (c configuration) defaultAuthority() (string, error) {
	name := "fs.defaultFS"
	if c.values[name] == "" {
		name = "fs.default.name" // deprecated
	}
	v, err := c.get(name)
	switch {
	case err != nil:
		return "", err
	case v == "":
		return "", errors.New("the URL names no name node, and " + c.said() +
			" gives no fs.defaultFS: write hdfs://namenode:port/path")
	}
	p, err := parse(v + "/")
	if err != nil || p.authority == "" || !strings.HasPrefix(v, "hdfs://") {
		return "", fmt.Errorf("the URL names no name node, and %s of %s is %s, not hdfs://…", name, c.said(), v)
	}
	return p.authority, nil
}

// nameNodes returns the addresses of an authority's name nodes.
func (c configuration) nameNodes(authority string) ([]string, error) {
	if _, _, err := net.SplitHostPort(authority); err == nil {
		return []string{authority}, nil
	}
	services := split(c.values["dfs.nameservices"])
	nodes, ha := c.values["dfs.ha.namenodes."+authority]
	if !ha && !slices.Contains(services, authority) {
		return []string{net.JoinHostPort(strings.Trim(authority, "[]"), defaultPort)}, nil
	}
	const address = "dfs.namenode.rpc-address."
	names := []string{address + authority}
	if ha {
		names = nil
		for _, n := range split(nodes) {
			names = append(names, address+authority+"."+n)
		}
	}
	var all []string
	for _, name := range names {
		v, err := c.get(name)
		if err != nil {
			return nil, err
		}
		if v == "" {
			return nil, fmt.Errorf("%s has the name service %s, but not %s", c.said(), authority, name)
		}
		if _, _, err := net.SplitHostPort(v); err != nil {
			v = net.JoinHostPort(v, defaultPort)
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no name nodes of the name service %s", c.said(), authority)
	}
	return all, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}

// options returns the client's options for an authority, and the wanted protections of data transfers.
func (c configuration) options(authority string, as Options) (o hdfs.ClientOptions, protections []string, err error) {
	addresses, err := c.nameNodes(authority)
	if err != nil {
		return o, nil, err
	}
	others := maps.Clone(c.values)
	// the library trusts these to be URLs
	maps.DeleteFunc(others, func(k, _ string) bool { return strings.HasPrefix(k, "fs.default") })
	delete(others, dataProtection) // we do this, not the library; likewise the next one
	delete(others, dataEncryption)
	o = hdfs.ClientOptionsFromConf(others)
	o.Addresses = addresses
	o.User = as.userName()
	if o.KerberosClient == nil {
		return o, nil, nil // without Kerberos, Hadoop has no protection
	}
	if o.KerberosServicePrincipleName == "" {
		return o, nil, errors.New(c.said() + " asks for Kerberos, but has no dfs.namenode.kerberos.principal")
	}
	for _, p := range split(c.values[dataProtection]) {
		if p = strings.ToLower(p); qops[p] == "" {
			return o, nil, fmt.Errorf("%s of %s is %s: wanted is authentication, integrity or privacy",
				dataProtection, c.said(), p)
		}
		protections = append(protections, p)
	}
	if strings.EqualFold(c.values[dataEncryption], "true") {
		protections = []string{"privacy"}
	}
	if o.KerberosClient, err = as.kerberos(); err != nil {
		return o, nil, fmt.Errorf("%s asks for Kerberos: %w", c.said(), err)
	}
	return o, protections, nil
}

const (
	dataProtection = "dfs.data.transfer.protection"
	dataEncryption = "dfs.encrypt.data.transfer"
)
