package hdfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/dl4go/dl4go/storage"
)

// terms say which name nodes to use, and as which user. They are not secret: HDFS trusts the user's name, or requires
// Kerberos.
type terms struct {
	User      string
	NameNodes string // host:port,…
	HostNames bool   // of data nodes
}

// Lend returns the terms of this process. It sends no requests, so Size and Modified are not filled in. If the
// configuration requires Kerberos, nothing is lent, because tickets are not lent.
func (f *FileSystem) Lend(ctx context.Context, urls []string, _ time.Duration) ([]storage.Loan, error) {
	o := f.now()
	conf, err := o.configuration()
	if err != nil {
		return nil, err
	}
	of := make(map[string]string)
	loans := make([]storage.Loan, len(urls))
	for i, url := range urls {
		p, err := f.at(ctx, url)
		if err != nil {
			return nil, err
		}
		if of[p.authority] == "" {
			if of[p.authority], err = conf.terms(p.authority, o.userName()); err != nil {
				return nil, p.error("lend", nil, err)
			}
		}
		loans[i] = storage.Loan{URL: url, Size: -1, Terms: of[p.authority]}
	}
	return loans, nil
}

func (c configuration) terms(authority, user string) (string, error) {
	if strings.EqualFold(c.values["hadoop.security.authentication"], "kerberos") {
		return "", fmt.Errorf("%s asks for Kerberos, whose tickets are not lent", c.said())
	}
	var err error
	if authority == "" {
		if authority, err = c.defaultAuthority(); err != nil {
			return "", err
		}
	}
	nodes, err := c.nameNodes(authority)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(terms{user, strings.Join(nodes, ","),
		strings.EqualFold(c.values["dfs.client.use.datanode.hostname"], "true")})
	return string(b), err
}

// Borrow opens a file, regardless of this machine's configuration.
func (f *FileSystem) Borrow(ctx context.Context, l storage.Loan) (io.ReadCloser, error) {
	p, err := f.at(ctx, l.URL)
	if err != nil {
		return nil, err
	}
	var t terms
	if err := json.Unmarshal([]byte(l.Terms), &t); err != nil || t.NameNodes == "" {
		return nil, p.error("open", nil, errors.New("the loan names no name node"))
	}
	for _, node := range strings.Split(t.NameNodes, ",") {
		if host, _, _ := net.SplitHostPort(node); host == "" {
			return nil, p.error("open", nil, fmt.Errorf("the loan has the name node %q", node))
		}
	}
	p.lent = t
	opened, err := open(p)
	if err != nil {
		return nil, err
	}
	if err := opened.is(l); err != nil {
		opened.Close()
		return nil, p.error("open", nil, err)
	}
	return opened, nil
}

// is fails for another file than the one that was lent.
func (f *file) is(l storage.Loan) error {
	clock := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	status := f.info.Sys().(*hdfs.FileStatus)
	switch {
	case f.Size() != l.Size:
		return fmt.Errorf("it has %d bytes here, and %d where it was listed", f.Size(), l.Size)
	case !f.ModTime().Equal(l.Modified):
		return fmt.Errorf("it was changed at %s here, and at %s where it was listed", clock(f.ModTime()), clock(l.Modified))
	case status.GetFileEncryptionInfo() != nil:
		return errors.New("it lies in an encryption zone, whose keys are not read here")
	}
	return nil
}

// options returns the client's options.
func (t terms) options() hdfs.ClientOptions {
	return hdfs.ClientOptions{Addresses: slices.Collect(strings.SplitSeq(t.NameNodes, ",")), User: t.User,
		UseDatanodeHostname: t.HostNames}
}
