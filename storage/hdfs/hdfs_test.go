package hdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/dl4go/dl4go/storage"
)

func TestURLs(t *testing.T) {
	for url, want := range map[string]place{
		"hdfs://node/a/b":               {context.Background(), nil, "", "node", "/a/b", false, terms{}},
		"hdfs://node:9000//a/./b/../c/": {context.Background(), nil, "", "node:9000", "/a/c", true, terms{}},
		"hdfs:///a b%20c?d#e":           {context.Background(), nil, "", "", "/a b%20c?d#e", false, terms{}},
		"hdfs://[::1]:8020/ü":           {context.Background(), nil, "", "[::1]:8020", "/ü", false, terms{}},
		"hdfs://node/":                  {context.Background(), nil, "", "node", "/", true, terms{}},
		"hdfs://node/../..":             {context.Background(), nil, "", "node", "/", false, terms{}},
	} {
		want.url = url
		if got, err := parse(url); got != want || err != nil {
			t.Errorf("%s is %+v, %v", url, got, err)
		}
	}
	for url, want := range map[string]string{
		"hdfs://node:8020":        "no path",
		"hdfs://":                 "no path",
		"hdfs:/a":                 "hdfs://namenode:port/path",
		"hdfs://bob@node/a":       "HADOOP_USER_NAME",
		"hdfs://node:0/a":         "not a port",
		"hdfs://node:65536/a":     "not a port",
		"hdfs://node:http/a":      "not a port",
		"hdfs://:8020/a":          "not a host:port",
		"hdfs://a:b:c/a":          "not a host:port",
		"hdfs://node/a:b":         "colon",
		"hdfs://node/a\x00b":      "control character",
		"hdfs://node/a\nb":        "control character",
		"hdfs://node/caf\xe9.zip": "not UTF-8",
	} {
		_, err := parse(url)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, wanted %q", url, err, want)
		}
	}
}

// hadoop writes a configuration of names and values, and sets it in the environment.
func hadoop(t *testing.T, file string, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	text := "<configuration>"
	for i := 0; i < len(pairs); i += 2 {
		text += fmt.Sprintf("<property><name>%s</name><value> %s\n</value></property>", pairs[i], pairs[i+1])
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"</configuration>"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HADOOP_CONF_DIR", dir)
	return dir
}

var service = []string{
	"fs.defaultFS", "hdfs://ns", "dfs.nameservices", "ns, single,broken", "dfs.ha.namenodes.ns", "a, b",
	"dfs.namenode.rpc-address.ns.a", "one:9000", "dfs.namenode.rpc-address.ns.b", "two",
	"dfs.namenode.rpc-address.single", "three:1", "dfs.namenode.rpc-address.broken", "${host}:1",
}

func TestNameNodes(t *testing.T) {
	hadoop(t, "hdfs-site.xml", service...)
	c, err := fromEnvironment().configuration()
	if err != nil {
		t.Fatal(err)
	}
	for authority, want := range map[string][]string{
		"ns": {"one:9000", "two:8020"}, "single": {"three:1"}, "node": {"node:8020"}, "node:1": {"node:1"},
		"ns:7": {"ns:7"}, "[::1]": {"[::1]:8020"},
	} {
		if got, err := c.nameNodes(authority); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s is %v, %v; wanted %v", authority, got, err, want)
		}
	}
	if got, err := c.defaultAuthority(); got != "ns" || err != nil {
		t.Errorf("the default is %s, %v", got, err)
	}
	if _, err := c.nameNodes("broken"); err == nil || !strings.Contains(err.Error(), "${host}") {
		t.Errorf("a variable: %v", err)
	}
}

// TestUnreported: a file whose last block no data node reports is written again, and the error gives advice.
func TestUnreported(t *testing.T) {
	p := place{ctx: context.Background(), url: "hdfs://name/file"}
	err := p.error("create", nil, &fs.PathError{Op: "close", Path: "/file", Err: hdfs.ErrReplicating})
	if !unreported(err) || !strings.Contains(err.Error(), "are the data nodes up") {
		t.Error(err)
	}
	if unreported(nil) || unreported(fs.ErrExist) {
		t.Error("another error is taken for it")
	}
}

// TestClear: problems of the configuration, the ticket or the name node are reported in one line, within seconds.
func TestClear(t *testing.T) {
	// A web server's answer to what it does not understand. It leaves the connection to the client: the end of a
	// connection is another problem.
	page := listener(t)
	go func() {
		for {
			c, err := page.Accept()
			if err != nil {
				return
			}
			go func() {
				io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request")
				io.Copy(io.Discard, c)
				c.Close()
			}()
		}
	}()
	defer page.Close()
	const gone = "127.0.0.1:1" // nobody listens at this address
	mute := listener(t)        // accepts connections, and closes them
	go func() {
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	defer mute.Close()

	kerberos := []string{"hadoop.security.authentication", "kerberos", "dfs.namenode.kerberos.principal",
		"nn/_HOST@EXAMPLE.COM"}
	for name, c := range map[string]struct {
		url   string
		pairs []string // of the configuration
		words []string
	}{
		"nothing listens": {"hdfs://" + gone + "/a", nil, []string{"can't be reached", "refused", "8020"}},
		"a web page's port": {"hdfs://" + page.Addr().String() + "/a", nil,
			[]string{"not a name node", "web page"}},
		"what ends connections": {"hdfs://" + mute.Addr().String() + "/a", nil, []string{"can't be reached"}},
		"no default":            {"hdfs:///a", []string{"a", "b"}, []string{"names no name node", "fs.defaultFS"}},
		"another default":       {"hdfs:///a", []string{"fs.defaultFS", "s3a://bucket"}, []string{"s3a://bucket"}},
		"a default that is not a URL": {"hdfs:///a", []string{"fs.defaultFS", "hdfs://%zz:%%"},
			[]string{"fs.defaultFS", "%zz"}},
		"a service without addresses": {"hdfs://ns/a", []string{"dfs.ha.namenodes.ns", "x"},
			[]string{"dfs.namenode.rpc-address.ns.x"}},
		"a service without name nodes":   {"hdfs://ns/a", []string{"dfs.ha.namenodes.ns", ""}, []string{"no name nodes"}},
		"Kerberos without a ticket":      {"hdfs://node/a", kerberos, []string{"asks for Kerberos", "no ticket", "kinit"}},
		"Kerberos without a principal":   {"hdfs://node/a", kerberos[:2], []string{"dfs.namenode.kerberos.principal"}},
		"a default that is out of reach": {"hdfs:///a", []string{"fs.defaultFS", "hdfs://" + gone}, []string{"refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			hadoop(t, "core-site.xml", c.pairs...)
			t.Setenv("KRB5CCNAME", filepath.Join(t.TempDir(), "none"))
			for _, call := range []func() error{
				func() error { _, err := storage.Open(context.Background(), c.url); return err },
				func() error { return storage.CheckWritable(context.Background(), c.url) },
			} {
				err := call()
				if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), c.url) {
					t.Errorf("not one line that names the URL: %v", err)
					continue
				}
				for _, w := range c.words {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("the error lacks %q: %v", w, err)
					}
				}
			}
		})
	}
	t.Setenv("HADOOP_CONF_DIR", filepath.Join(t.TempDir(), "none"))
	if _, err := storage.Open(context.Background(), "hdfs://node/a"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "HADOOP_CONF_DIR") {
		t.Errorf("no directory of the configuration: %v", err)
	}
}

// TestTickets: an invalid credentials cache is an error.
func TestTickets(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	for content, want := range map[string]string{
		"": "no credentials cache", "\x05\x04": "", "\x05\x04\x00\x04\xff\xff\xff\xff": "", "<html>": "",
		strings.Repeat("\x05\x04\x00\x00\x7f", 50): "",
	} {
		if err := os.WriteFile(cache, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{cache, "FILE:" + cache} {
			t.Setenv("KRB5CCNAME", name)
			if _, err := fromEnvironment().kerberos(); err == nil || !strings.Contains(err.Error(), "kinit") ||
				!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), cache) {
				t.Errorf("%s with %q: %v", name, content, err)
			}
		}
	}
	t.Setenv("KRB5CCNAME", "KEYRING:persistent:0")
	if _, err := fromEnvironment().kerberos(); err == nil || !strings.Contains(err.Error(), "KEYRING:persistent:0") ||
		!strings.Contains(err.Error(), "kinit -c FILE") {
		t.Errorf("a cache that is no file: %v", err)
	}
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSilence: a server that accepts a connection and stays silent is not waited for.
func TestSilence(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := timed{ours, 20 * time.Millisecond, func() bool { return true }}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading from who says nothing: %v", err)
	}
	if _, err := c.Write([]byte("again")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a connection that failed goes on: %v", err)
	}
}

// TestSilentKerberos: a Kerberos server that does not answer in time is asked again for a minute. One that refuses is
// not.
func TestSilentKerberos(t *testing.T) {
	silent := errors.New("no available namenodes: SASL handshake: communication error with KDC via TCP: error sending " +
		"to a KDC: error sneding to 10.0.0.1:88: error reading response size header: " +
		"read tcp 10.0.0.2:1->10.0.0.1:88: i/o timeout")
	explained := errors.New("no ticket for alice@EXAMPLE.COM with the keytab k: " + kerberosReason(silent.Error()))
	refused := errors.New("error sending to a KDC: error sneding to 10.0.0.1:88: dial tcp 10.0.0.1:88: connection refused")
	for name, c := range map[string]struct {
		errs []error // of the calls; the last one is also that of later calls
		want int     // calls
	}{
		"at once": {[]error{nil}, 1}, "later": {[]error{silent, explained, nil}, 3}, "refused": {[]error{refused}, 1},
		"never": {[]error{silent}, 12},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := whileSilent(t.Context(), func() error {
					calls++
					err := c.errs[min(calls, len(c.errs))-1]
					if err != nil && err != refused {
						time.Sleep(5 * time.Second)
					}
					return err
				})
				if last := c.errs[len(c.errs)-1]; err != last || calls != c.want {
					t.Errorf("it ended with %v after %d calls, wanted %d", err, calls, c.want)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := 0
	if err := whileSilent(ctx, func() error { calls++; return silent }); err != silent || calls != 1 {
		t.Errorf("cancelled, it ended with %v after %d calls", err, calls)
	}
}
