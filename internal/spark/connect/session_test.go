package connect

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

func TestOpenAndClose(t *testing.T) {
	f := startFake(t)
	a := f.address()
	a.UserID, a.UserAgent, a.Token, a.Headers = "ann", "me/1", "secret", map[string]string{"x-org": "7"}
	s, err := Open(t.Context(), a, quick())
	if err != nil {
		t.Fatal(err)
	}
	if s.Version() != "4.1.4" || !isUUID(s.ID()) {
		t.Errorf("version %s, session %s", s.Version(), s.ID())
	}
	f.mu.Lock()
	header := f.header
	f.mu.Unlock()
	for key, want := range map[string]string{"authorization": "Bearer secret", "x-org": "7"} {
		if got := header.Get(key); len(got) != 1 || got[0] != want {
			t.Errorf("header %s is %q", key, got)
		}
	}
	r := f.requests("AnalyzePlan")[0].(*protocol.AnalyzePlanRequest)
	if r.UserContext.UserId != "ann" || !strings.HasPrefix(r.GetClientType(), "me/1 dl4go") || r.SessionId != s.ID() {
		t.Errorf("request %v", r)
	}
	if err := s.Set(t.Context(), map[string]string{"b": "1", "a": "2"}); err != nil {
		t.Fatal(err)
	}
	config := f.requests("Config")[0].(*protocol.ConfigRequest)
	if config.GetClientObservedServerSideSessionId() != fakeSession || config.Operation.GetSet().Pairs[0].Key != "a" {
		t.Errorf("request %v", config)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("closing after Ctrl-C: %v", err)
	}
	if len(f.requests("ReleaseSession")) != 1 {
		t.Error("the session was not released")
	}
}

func TestClosingSpark35(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	f.on("ReleaseSession", func(*fakeCall) error { return status.Error(codes.Unimplemented, "Method not found") })
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if len(f.requests("Interrupt")) != 1 {
		t.Error("what runs was not interrupted")
	}
}

func TestRetries(t *testing.T) {
	withInfo, _ := status.New(codes.ResourceExhausted,
		"later").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
	for name, c := range map[string]struct {
		err   error
		fails int
		calls int
		part  string
	}{
		"once":               {unavailable, 1, 2, ""},
		"three times":        {unavailable, 3, 4, ""},
		"too often":          {unavailable, 9, 4, "connection lost"},
		"as the server asks": {withInfo.Err(), 2, 3, ""},
		"never":              {status.Error(codes.Internal, "a mistake"), 9, 1, "a mistake"},
		"a wrong token":      {status.Error(codes.Unauthenticated, "no"), 9, 1, "token"},
		"another service":    {status.Error(codes.Unimplemented, "no"), 9, 1, "no Spark Connect server"},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFake(t)
			s := f.open(t, quick())
			f.on("Config", func(call *fakeCall) error {
				if call.n < c.fails {
					return c.err
				}
				return call.send(new(protocol.ConfigResponse))
			})
			err := s.Set(t.Context(), nil)
			if (err == nil) != (c.part == "") || err != nil && !strings.Contains(err.Error(), c.part) {
				t.Errorf("got %v", err)
			}
			if n := len(f.requests("Config")); n != c.calls {
				t.Errorf("%d requests, wanted %d", n, c.calls)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	s.options.CallTimeout = 50 * time.Millisecond
	f.on("Config", silent)
	err := s.Set(t.Context(), nil)
	var e *Error
	if !errors.As(err, &e) || e.Code != codes.DeadlineExceeded || !strings.Contains(err.Error(), s.Address().Server()) ||
		!strings.Contains(err.Error(), "change settings") || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("got %v", err)
	}
}

func TestRestartedServer(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	f.on("Config", func(c *fakeCall) error { return c.send(&protocol.ConfigResponse{ServerSideSessionId: "another"}) })
	if err := s.Set(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "restarted") {
		t.Errorf("got %v", err)
	}
	f.on("Config", func(c *fakeCall) error { return c.send(&protocol.ConfigResponse{SessionId: "another"}) })
	if err := s.Set(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "for session another") {
		t.Errorf("got %v", err)
	}
}

func TestErrorDetails(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	index := func(i int32) *int32 { return &i }
	class, state := "JOB_FAILED", "XX000"
	f.on("FetchErrorDetails", func(c *fakeCall) error {
		if c.request.(*protocol.FetchErrorDetailsRequest).ErrorId != "e1" {
			return errors.New("another error's")
		}
		return c.send(&protocol.FetchErrorDetailsResponse{RootErrorIdx: index(0),
			Errors: []*protocol.FetchErrorDetailsResponse_Error{
				{Message: "outer, in full", ErrorTypeHierarchy: []string{"a.Outer", "a.Base"}, CauseIdx: index(1),
					SparkThrowable: &protocol.FetchErrorDetailsResponse_SparkThrowable{ErrorClass: &class, SqlState: &state}},
				{Message: "root", ErrorTypeHierarchy: []string{"a.Root"}, CauseIdx: index(0)}}})
	})
	st, _ := status.New(codes.Internal, "outer…").WithDetails(&errdetails.ErrorInfo{Metadata: map[string]string{
		"classes": `["a.Outer"]`, "errorId": "e1"}})
	f.on("Config", func(*fakeCall) error { return st.Err() })
	err := s.Set(t.Context(), nil)
	var e *Error
	if !errors.As(err, &e) || e.Class != class || e.SQLState != state || e.Message != "outer, in full" ||
		len(e.Causes) != 32 ||
		e.Causes[1] != (Cause{"a.Root", "", "root"}) ||
		!strings.HasSuffix(err.Error(), "outer, in full; caused by a.Root: root") {
		t.Errorf("got %v: %+v", err, e)
	}
	st, _ = status.New(codes.Internal,
		"Cannot call methods on a stopped SparkContext.\nThis stopped SparkContext was created at:\n\na.b(C.scala:1)\n").
		WithDetails(&errdetails.ErrorInfo{Metadata: map[string]string{"classes": `["java.lang.IllegalStateException"]`}})
	if err := s.Set(t.Context(), nil); !strings.HasSuffix(err.Error(),
		"a stopped SparkContext.; the server is being shut down") {
		t.Errorf("got %v", err)
	}
	st, _ = status.New(codes.Internal, "outer…").WithDetails(&errdetails.ErrorInfo{Metadata: map[string]string{
		"classes": `["a.Outer"]`, "errorId": "e1"}})
	// If the details can't be fetched, the status still has a text.
	f.on("FetchErrorDetails", func(*fakeCall) error { return errors.New("no") })
	if err := s.Set(t.Context(), nil); err == nil || !strings.HasSuffix(err.Error(), "outer…") {
		t.Errorf("got %v", err)
	}
}

func TestFailedTask(t *testing.T) {
	e := &Error{Message: "Job aborted due to stage failure: Task 1 in stage 3.0 failed 4 times, most recent failure: " +
		"Lost task 1.3 in " +
		"stage 3.0 (TID 9) (10.0.0.7 executor 12): a.B: it broke\n\tat x.y(Z.scala:1)\n\t... 3 more\nCaused by: a.C: since " +
		"it was old\n\tat q\n\n" +
		"Driver stacktrace:\n\tat r"}
	got := failedTask(e)
	want := Task{Stage: 3, Index: 1, Attempt: 3, Host: "10.0.0.7", Executor: "12",
		Cause: "a.B: it broke\nCaused by: a.C: since it was old"}
	if got == nil || *got != want {
		t.Errorf("got %+v", got)
	}
	if failedTask(&Error{Message: "something else"}) != nil {
		t.Error("a task where there is none")
	}
}

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.make(name, nil)
	return a
}

// make makes a certificate and its key in the files name.pem and name.key.
func (a *authority) make(name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signer, signKey := a.cert, a.key
	if template == nil {
		template = &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
		signer, signKey = template, key
	}
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: name}
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signKey)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	os.WriteFile(a.path(name+".pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(a.path(name+".key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}), 0o600)
	cert, _ := x509.ParseCertificate(der)
	return cert, key
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func TestTLS(t *testing.T) {
	ca := newAuthority(t, "ca")
	ca.make("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	ca.make("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	other := newAuthority(t, "ca")
	pair, err := tls.LoadX509KeyPair(ca.path("server.pem"), ca.path("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	f := startFake(t, grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients,
		ClientAuth: tls.RequireAndVerifyClientCert})))
	for name, c := range map[string]struct {
		tls  TLS
		off  bool
		part string
	}{
		"as it should be": {TLS{CAFile: ca.path("ca.pem"), CertFile: ca.path("client.pem"),
			KeyFile: ca.path("client.key")}, false, ""},
		"without a certificate": {TLS{CAFile: ca.path("ca.pem")}, false, "client certificate"},
		"another authority":     {TLS{CAFile: other.path("ca.pem")}, false, "name the authority"},
		"another host":          {TLS{CAFile: ca.path("ca.pem"), ServerName: "elsewhere"}, false, "elsewhere"},
		"without TLS":           {TLS{}, true, "use_ssl=true"},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.address()
			a.TLS, a.Token = !c.off, "secret"
			o := quick()
			o.TLS = c.tls
			if state, err := Handshake(t.Context(), a, o); err == nil &&
				state.PeerCertificates[0].Subject.CommonName != "server" {
				t.Errorf("a handshake with %v", state.PeerCertificates[0].Subject)
			} else if err != nil && c.part == "" {
				t.Error(err)
			}
			s, err := Open(t.Context(), a, o)
			if err == nil {
				defer s.Close(t.Context())
				f.mu.Lock()
				defer f.mu.Unlock()
				if f.header.Get("authorization")[0] != "Bearer secret" {
					t.Error("the token is missing")
				}
			}
			if (err == nil) != (c.part == "") || err != nil && !strings.Contains(err.Error(), c.part) {
				t.Errorf("got %v", err)
			}
		})
	}
}
