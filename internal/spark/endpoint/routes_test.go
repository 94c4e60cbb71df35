package endpoint

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestRoutes checks that a token and headers never go to another machine's loopback, nor unencrypted to Spark's driver.
func TestRoutes(t *testing.T) {
	for name, c := range map[string]struct {
		own, host, port string
		want            []string
	}{
		"local":                       {"sc://localhost", "localhost", "15002", []string{"localhost:15002"}},
		"a tunnel":                    {"sc://localhost:7", "edge", "15003", []string{"edge:15003", "localhost:7"}},
		"a tunnel, a token":           {"sc://localhost:7/;token=x", "edge", "15003", nil},
		"a tunnel, a token, IPv6":     {"sc://[::1]:7/;token=x", "edge", "15003", nil},
		"a tunnel, a token, TLS":      {"sc://localhost:7/;token=x;use_ssl=true", "edge", "15003", []string{"edge:15003"}},
		"a tunnel, a header":          {"sc://localhost:7/;x-key=x", "edge", "15003", nil},
		"local, a token":              {"sc://localhost/;token=x", "127.0.0.1", "15002", nil},
		"a host":                      {"sc://h", "edge", "15003", []string{"h:15002", "edge:15003"}},
		"a host, a token":             {"sc://h/;token=x", "edge", "", []string{"h:15002", "edge:15002"}},
		"a host, its driver on it":    {"sc://h/;token=x", "localhost", "", []string{"h:15002"}},
		"a host, a header, insecure":  {"sc://h/;x-key=x", "edge", "", []string{"h:15002", "edge:15002"}},
		"a host that knows no driver": {"sc://h", "", "", []string{"h:15002"}},
	} {
		own, err := connect.ParseAddress(c.own)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range routes(own, c.host, c.port) {
			if got = append(got, a.Server()); a.Token != own.Token {
				t.Errorf("%s: token %q", name, a.Token)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, wanted %q", name, got, c.want)
		}
	}
}
