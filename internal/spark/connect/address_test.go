package connect

import (
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	const id = "00112233-4455-6677-8899-aabbccddeeff"
	for in, want := range map[string]Address{
		"sc://host":                              {Host: "host", Port: 15002},
		"sc://host/":                             {Host: "host", Port: 15002},
		"sc://10.0.0.1:443/;use_ssl=true":        {Host: "10.0.0.1", Port: 443, TLS: true},
		"sc://[::1]:7":                           {Host: "::1", Port: 7},
		"sc://[fe80::1]/;use_ssl=FALSE":          {Host: "fe80::1", Port: 15002},
		"sc://host:1/;token=a%3Db%2Fc":           {Host: "host", Port: 1, TLS: true, Token: "a=b/c"},
		"sc://localhost/;token=x":                {Host: "localhost", Port: 15002, Token: "x"},
		"sc://localhost/;token=x;use_ssl=true":   {Host: "localhost", Port: 15002, Token: "x", TLS: true},
		"sc://h/;user_id=Ann%20B;user_agent=a/1": {Host: "h", Port: 15002, UserID: "Ann B", UserAgent: "a/1"},
		"sc://h/;session_id=" + id + ";X-Org=7;": {Host: "h", Port: 15002, SessionID: id,
			Headers: map[string]string{"x-org": "7"}},
		"sc://h;use_ssl=true": {Host: "h", Port: 15002, TLS: true},
	} {
		got, err := ParseAddress(in)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for in, part := range map[string]string{
		"http://h":                     "sc://",
		"sc://":                        "host is missing",
		"sc://:15002":                  "host is missing",
		"sc://h:0":                     "port",
		"sc://h:65536":                 "port",
		"sc://h:http":                  "port",
		"sc://::1:15002":               "brackets",
		"sc://me:secret@h":             "user_id",
		"sc://h/path;use_ssl=true":     "path",
		"sc://h/token=secret":          "path",
		"sc://h/;user_id=a;secret":     "parameter 2",
		"sc://h/;use_ssl":              "key=value",
		"sc://h/;use_ssl=yes":          "use_ssl",
		"sc://h/;token=secret=":        "%3D",
		"sc://h/;token=secret%zz":      "percent",
		"sc://h/;token=secret%0A":      "control",
		"sc://h/;session_id=1":         "UUID",
		"sc://h/;authorization=secret": "header",
		"sc://h/;x%20y=secret":         "header",
		"sc://h/;grpc-timeout=1":       "header",
		"sc://h/;user_agent=" + strings.Repeat("x", 3000): "2048",
	} {
		_, err := ParseAddress(in)
		var address *AddressError
		if !errors.As(err, &address) || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60s: %v", in, err)
		}
	}
	a, _ := ParseAddress("sc://host/;token=secret;x-key=secret")
	if s := a.String(); s != "sc://host:15002" {
		t.Errorf("the address prints as %s", s)
	}
}

// TestAddressInLogs checks that no log handler prints the token or the headers, including the JSON handler, which
// prints fields.
func TestAddressInLogs(t *testing.T) {
	a, _ := ParseAddress("sc://host/;token=secret;x-key=secret")
	var out strings.Builder
	for _, h := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(h).Warn("waiting", "master", a, "all", []any{a.Server(), &a}, slog.Group("g", "pointer", &a))
	}
	if got := out.String(); strings.Contains(got, "secret") || strings.Count(got, "sc://host:15002") < 4 {
		t.Errorf("the logs have %s", got)
	}
}

func TestWithToken(t *testing.T) {
	if a := (Address{Host: "h"}).WithToken("x"); !a.TLS || a.Token != "x" {
		t.Errorf("%+v", a)
	}
	if a := (Address{Host: "127.0.0.1"}).WithToken("x"); a.TLS || a.Token != "x" {
		t.Errorf("%+v", a)
	}
	if a := (Address{Host: "h"}).WithToken(""); a.TLS {
		t.Errorf("%+v", a)
	}
}

func TestPlaintext(t *testing.T) {
	remote := Address{Host: "192.0.2.1", Port: 1}
	secret := Address{Host: "192.0.2.1", Port: 1, Token: "t"}
	for _, c := range []struct {
		a    Address
		o    Options
		part string
	}{
		{remote, Options{}, "use_ssl=true"},
		{secret, Options{Insecure: true}, "token"},
		{Address{Host: "localhost", Port: 1}, Options{TLS: TLS{CAFile: "x"}}, "without TLS"},
		{Address{Host: "h", Port: 1, TLS: true}, Options{TLS: TLS{CAFile: "testdata/none"}}, "none"},
		{Address{Host: "h", Port: 1, TLS: true}, Options{TLS: TLS{CAFile: "address.go"}}, "no PEM"},
		{Address{Host: "h", Port: 1, TLS: true}, Options{TLS: TLS{CertFile: "x"}}, "together"},
	} {
		_, err := Open(t.Context(), c.a, c.o)
		if err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%+v with %+v: %v", c.a, c.o, err)
		}
	}
}
