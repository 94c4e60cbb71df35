package serving

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/await"
	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/serve"
)

// authority signs certificates.
type authority struct {
	*testing.T
	dir  string
	of   *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{T: t, dir: t.TempDir()}
	a.of, a.key = a.sign("authority", nil, nil)
	return a
}

// sign makes a certificate for loopback, and writes the files NAME.pem and NAME.key.
func (a *authority) sign(name string, by *x509.Certificate, with *ecdsa.PrivateKey) (*x509.Certificate,
	*ecdsa.PrivateKey) {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	a.next++
	c := &x509.Certificate{SerialNumber: big.NewInt(a.next), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil,
		BasicConstraintsValid: true}
	if by == nil {
		by, with = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, with)
	if err != nil {
		a.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{a.file(name + ".pem"): {Type: "CERTIFICATE", Bytes: der},
		a.file(name + ".key"): {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.Fatal(err)
		}
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		a.Fatal(err)
	}
	return c, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// client returns a configuration that trusts the authority and, unless name is empty, presents the certificate of that
// name.
func (a *authority) client(name string) *tls.Config {
	a.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	c.RootCAs.AddCert(a.of)
	if name != "" {
		pair, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key"))
		if err != nil {
			a.Fatal(err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

// asks reports whether HTTP answers the client, and returns the code of gRPC.
func (s *serving) asks(c *tls.Config) (web bool, rpc codes.Code) {
	s.Helper()
	transport := &http.Transport{TLSClientConfig: c}
	defer transport.CloseIdleConnections()
	r, err := (&http.Client{Transport: transport}).Get(strings.Replace(s.web, "http:", "https:", 1) + "/v2/models/m")
	if err == nil {
		r.Body.Close()
	}
	conn, e := grpc.NewClient(s.rpc.Target(), grpc.WithTransportCredentials(credentials.NewTLS(c)))
	if e != nil {
		s.Fatal(e)
	}
	defer conn.Close()
	e = conn.Invoke(await.Context(s), "/"+rpcName+"/ModelMetadata", &pb.ModelMetadataRequest{Name: "m"},
		&pb.ModelMetadataResponse{})
	return err == nil && r.StatusCode == 200, status.Code(e)
}

// TestTLS: both ports use TLS, and require a certificate if client authorities are set.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.sign("server", a.of, a.key)
	a.sign("friend", a.of, a.key)
	other := newAuthority(t)
	other.sign("stranger", other.of, other.key)
	stranger := a.client("")
	stranger.Certificates = other.client("stranger").Certificates
	for _, mutual := range []bool{false, true} {
		clients := ""
		if mutual {
			clients = a.file("authority.pem")
		}
		c, err := TLSOf(t.Context(), a.file("server.pem"), a.file("server.key"), clients)
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, Options{TLS: c}, serve.Options{})
		for _, client := range []struct {
			name   string
			config *tls.Config
			ok     bool
		}{
			{"friend", a.client("friend"), true},
			{"nobody", a.client(""), !mutual},
			{"stranger", stranger, !mutual},
			{"a client that trusts others", other.client(""), false},
		} {
			web, rpc := s.asks(client.config)
			if web != client.ok || (rpc == codes.OK) != client.ok {
				t.Errorf("client certificates %v: %s: HTTP %v, gRPC %v; wanted %v", mutual, client.name, web, rpc, client.ok)
			}
		}
	}
}

// TestTLSFiles: missing files and files that are not PEM are errors that name them.
func TestTLSFiles(t *testing.T) {
	a := newAuthority(t)
	a.sign("server", a.of, a.key)
	pem, key := a.file("server.pem"), a.file("server.key")
	for _, c := range [][4]string{{"none.pem", key, "", "none.pem"}, {pem, "none.key", "", "none.key"},
		{key, pem, "", "server.key"}, {pem, a.file("authority.key"), "", "authority.key"}, {pem, key, "none.pem", "none.pem"},
		{pem, key, key, "server.key"}} {
		if _, err := TLSOf(t.Context(), c[0], c[1], c[2]); err == nil || !strings.Contains(err.Error(), c[3]) {
			t.Errorf("%v: %v", c[:3], err)
		}
	}
}
