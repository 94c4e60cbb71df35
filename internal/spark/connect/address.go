package connect

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// DefaultPort is the default port of Spark Connect servers.
const DefaultPort = 15002

// Address is a server and the way to talk to it, as in a connection string of Spark's clients:
//
//	sc://host[:port][/;key=value;key=value…]
//
// Values are percent-encoded. Keys other than those of the fields below become headers of every request, as with
// Spark's clients. Proxies in front of clusters may need them.
type Address struct {
	Host      string
	Port      int
	TLS       bool   // use_ssl; a token turns it on too, except for a server on this machine's loopback
	Token     string // token: sent as a bearer token
	UserID    string // user_id
	UserAgent string // user_agent
	SessionID string // session_id, a UUID
	Headers   map[string]string
}

// AddressError says that a connection string is invalid.
type AddressError struct{ Reason string }

func (e *AddressError) Error() string {
	return e.Reason + "; wanted sc://host[:port][/;use_ssl=true;token=…;user_id=…;user_agent=…;session_id=…]"
}

// ParseAddress parses a connection string. Its errors don't repeat the string, which may hold a token.
func ParseAddress(s string) (Address, error) {
	fail := func(format string, args ...any) (Address, error) {
		return Address{}, &AddressError{fmt.Sprintf(format, args...)}
	}
	rest, ok := strings.CutPrefix(s, "sc://")
	if !ok {
		return fail("the connection string does not begin with sc://")
	}
	rest, params, _ := strings.Cut(rest, ";")
	hostPort, path, _ := strings.Cut(rest, "/")
	if path != "" {
		return fail("a path comes after the host; parameters begin with /;")
	}
	if strings.ContainsAny(hostPort, "@?# ") {
		return fail("the host has a character that no host has; a user is given by user_id=…")
	}
	a := Address{Port: DefaultPort}
	var err error
	if a.Host, a.Port, err = splitHostPort(hostPort); err != nil {
		return fail("%v", err)
	}
	for i, param := range strings.Split(params, ";") {
		if param == "" {
			continue
		}
		key, value, ok := strings.Cut(param, "=")
		if !ok || key == "" || strings.Contains(value, "=") {
			return fail("parameter %d is not of the form key=value (a = in a value is written %%3D)", i+1)
		}
		if value, err = url.PathUnescape(value); err != nil {
			return fail("the value of %s is not percent-encoded as it should be", key)
		}
		if err := a.set(key, value); err != nil {
			return fail("%v", err)
		}
	}
	return a.WithToken(a.Token), nil
}

// WithToken returns the address with a token. The token turns TLS on unless the server is on this machine's loopback.
func (a Address) WithToken(token string) Address {
	a.Token = token
	a.TLS = a.TLS || token != "" && !a.Loopback()
	return a
}

func splitHostPort(s string) (string, int, error) {
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:i], s[i+1:]
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 {
			return "", 0, fmt.Errorf("port %q is not a number from 1 to 65535", port)
		}
		if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
			return "", 0, fmt.Errorf("an IPv6 address stands in brackets: [%s]", s)
		}
		return hostOf(host, n)
	}
	return hostOf(host, DefaultPort)
}

func hostOf(host string, port int) (string, int, error) {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" {
		return "", 0, fmt.Errorf("the host is missing")
	}
	return host, port, nil
}

func (a *Address) set(key, value string) error {
	for _, r := range value {
		if r < ' ' || r == 0x7F {
			return fmt.Errorf("the value of %s has a control character", key)
		}
	}
	switch key {
	case "use_ssl":
		a.TLS = strings.EqualFold(value, "true")
		if !a.TLS && !strings.EqualFold(value, "false") {
			return fmt.Errorf("use_ssl is true or false, not %q", value)
		}
	case "token":
		a.Token = value
	case "user_id":
		a.UserID = value
	case "user_agent":
		if len(url.QueryEscape(value)) > 2048 {
			return fmt.Errorf("user_agent has more than 2048 characters")
		}
		a.UserAgent = value
	case "session_id":
		if !isUUID(value) {
			return fmt.Errorf("session_id %q is not a UUID such as 00112233-4455-6677-8899-aabbccddeeff", value)
		}
		a.SessionID = value
	default:
		name := strings.ToLower(key)
		if !isHeader(name) {
			return fmt.Errorf("parameter %q can't be the name of a header", key)
		}
		if a.Headers == nil {
			a.Headers = make(map[string]string)
		}
		a.Headers[name] = value
	}
	return nil
}

func isHeader(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' {
			return false
		}
	}
	return name != "authorization" && !strings.HasPrefix(name, "grpc-") && !strings.HasSuffix(name, "-bin")
}

// Server returns the server's host and port.
func (a Address) Server() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// String returns the connection string without the token and the headers, for messages.
func (a Address) String() string { return "sc://" + a.Server() }

// LogValue is the same as String, for logs.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText is the same as String. Without it, JSON of a value with an address, also in logs, would show all fields.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Loopback reports whether the server is on this machine, as far as its name tells.
func (a Address) Loopback() bool {
	ip := net.ParseIP(a.Host)
	return strings.EqualFold(a.Host, "localhost") || ip != nil && ip.IsLoopback()
}
