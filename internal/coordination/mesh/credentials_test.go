package mesh

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCredentialsSecret checks that printing and logging credentials, or a value that contains them, shows no key. JSON
// does contain the keys.
func TestCredentialsSecret(t *testing.T) {
	c := testPair(t, testJob).Worker
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+verb+verb+"\n", c, &c, struct{ C Credentials }{c})
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("starting", "credentials", c, "pointer", &c)
	}
	text := b.String()
	for form, secret := range map[string]string{"hex": hex.EncodeToString(c.Key[20:30]),
		"base64": base64.StdEncoding.EncodeToString(c.Key)[20:40],
		"bytes":  fmt.Sprint(c.Key[20:26])[1:], "raw": string(c.Key[20:30])} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("the key is shown in %s", form)
		}
	}
	if !strings.Contains(text, "credentials of a worker of job 74657374") {
		t.Errorf("printed: %s", text)
	}
	j, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Credentials
	if err := json.Unmarshal(j, &back); err != nil || !reflect.DeepEqual(c, back) {
		t.Errorf("JSON brings something else: error %v", err)
	}
}

// TestCredentialsLife checks that certificates are valid from an hour ago for the requested time, and that they differ.
func TestCredentialsLife(t *testing.T) {
	begun := time.Now().Truncate(time.Second) // the resolution of certificates
	p, err := Issue(Terms{Job: testJob, Life: 3 * time.Hour})
	issued := time.Now()
	if err != nil {
		t.Fatal(err)
	}
	serials := map[string]bool{}
	for _, der := range [][]byte{p.Worker.Authority, p.Worker.Certificate, p.Coordinator.Certificate} {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		serials[c.SerialNumber.String()] = true
		within := func(at time.Time, off time.Duration) bool {
			return !at.Before(begun.Add(off)) && !at.After(issued.Add(off))
		}
		if !within(c.NotBefore, -time.Hour) || !within(c.NotAfter, 3*time.Hour) {
			t.Errorf("valid from %v to %v", c.NotBefore, c.NotAfter)
		}
		if c.IsCA != bytes.Equal(der, p.Worker.Authority) {
			t.Error("a role's certificate can make others")
		}
	}
	if len(serials) != 3 {
		t.Errorf("serial numbers %v", serials)
	}
	if _, err := Issue(Terms{Life: -time.Hour}); err == nil {
		t.Error("certificates live for less than no time")
	}
}

// TestCredentialsDamaged checks that errors name the damaged part and contain no key.
func TestCredentialsDamaged(t *testing.T) {
	p, other := testPair(t, testJob), testPair(t, [16]byte{'o'})
	for name, change := range map[string]func(c *Credentials){
		"authority":   func(c *Credentials) { c.Authority = c.Authority[:50] },
		"certificate": func(c *Credentials) { c.Certificate = nil },
		"key":         func(c *Credentials) { c.Key = bytes.Repeat([]byte{1}, 100) },
	} {
		c := p.Worker
		change(&c)
		if _, err := NewSecure(c, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a damaged %s gives %v", name, err)
		}
	}
	for name, c := range map[string]Credentials{
		"another role's": {testJob, Coordinator, p.Worker.Authority, p.Worker.Certificate, p.Worker.Key},
		"another job's":  {testJob, Worker, p.Worker.Authority, other.Worker.Certificate, other.Worker.Key},
		"another key's":  {testJob, Worker, p.Worker.Authority, p.Worker.Certificate, p.Coordinator.Key},
	} {
		if _, err := NewSecure(c, Options{}); err == nil {
			t.Errorf("%s certificate is taken", name)
		}
	}
}
