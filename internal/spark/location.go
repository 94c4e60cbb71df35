package spark

import (
	"net/url"
	"path"
	"strings"
)

// location is a path in the parts of Hadoop's file systems. Nothing in it is encoded.
type location struct{ scheme, authority, path string }

// parsePath parses a path as users write it, and as Spark prints it in its tables.
func parsePath(s string) location {
	var l location
	if scheme, rest, ok := strings.Cut(s, ":"); ok && isScheme(scheme) {
		l.scheme, s = strings.ToLower(scheme), rest
		if rest, ok := strings.CutPrefix(s, "//"); ok {
			l.authority, s, ok = strings.Cut(rest, "/")
			if ok {
				s = "/" + s
			}
		}
	}
	if l.path = path.Clean(s); s == "" {
		l.path = "/"
	}
	return l
}

// parseURL parses a path as Spark lists it, with %XX for characters that URLs don't allow.
func parseURL(s string) location {
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return parsePath(s)
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return s != ""
}

// names reports whether an absolute path is the location's, which may be relative.
func (l location) names(whole string) bool {
	return l.path == whole || !strings.HasPrefix(l.path, "/") && strings.HasSuffix(whole, "/"+l.path)
}

// within returns the rest of an absolute path after the location's, which may be relative.
func (l location) within(whole string) (name string, ok bool) {
	dir := strings.TrimRight(l.path, "/") + "/"
	if strings.HasPrefix(dir, "/") {
		return strings.CutPrefix(whole, dir)
	}
	_, name, ok = strings.Cut(whole, "/"+dir)
	return name, ok
}

// same reports whether both are one place. Missing parts are not compared.
func (l location) same(m location) bool {
	return l.path == m.path && (l.scheme == m.scheme || l.scheme == "" || m.scheme == "") &&
		(l.authority == m.authority || l.authority == "" || m.authority == "")
}

// String returns the location as Spark prints it in its tables.
func (l location) String() string {
	s := l.path
	if l.authority != "" {
		s = "//" + l.authority + s
	}
	if l.scheme != "" {
		s = l.scheme + ":" + s
	}
	return s
}

// globless escapes characters with a meaning in Spark's paths; unglob reverses that.
var (
	globless = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)
	unglob   = strings.NewReplacer(`\\`, `\`, `\*`, `*`, `\?`, `?`, `\[`, `[`, `\]`, `]`, `\{`, `{`, `\}`, `}`)
)
