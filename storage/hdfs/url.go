package hdfs

import (
	"context"
	"fmt"
	"net"
	"path"
	"strconv"
	"strings"
)

// place is the server and path of a URL.
type place struct {
	ctx       context.Context // of all requests
	fs        *FileSystem
	url       string
	authority string // host:port or a name service; "" for the configuration's file system
	path      string // absolute and clean
	directory bool   // the URL ends with a slash
	lent      terms  // the name nodes and user of a loan, instead of this process's settings
}

// parse splits a URL as Hadoop does: nothing is escaped, and there is neither query nor fragment.
func parse(url string) (place, error) {
	fail := func(format string, args ...any) (place, error) {
		return place{}, fmt.Errorf("%q: %s", url, fmt.Sprintf(format, args...))
	}
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return fail("wanted is hdfs://namenode:port/path")
	}
	authority, name, ok := strings.Cut(rest, "/")
	switch {
	case !ok:
		return fail("there is no path: wanted is hdfs://namenode:port/path")
	case strings.ContainsAny(authority, "@"):
		return fail("a user has no place in the URL: set HADOOP_USER_NAME")
	case strings.Contains(name, ":"):
		return fail("HDFS has no names with a colon")
	case strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == '\ufffd' }):
		return fail("there is a control character in it, or it is not UTF-8")
	}
	if strings.Contains(authority, ":") {
		host, port, err := net.SplitHostPort(authority)
		if err != nil || host == "" {
			return fail("%s is not a host:port", authority)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fail("%s is not a port", port)
		}
	}
	return place{ctx: context.Background(), url: url, authority: authority, path: path.Clean("/" + name),
		directory: name == "" || strings.HasSuffix(name, "/")}, nil
}
