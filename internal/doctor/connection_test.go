package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
)

// TestConnection examines addresses without a server, and servers that refuse the connection.
func TestConnection(t *testing.T) {
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	closed := listen()
	closed.Close()
	web := listen()
	go func() {
		for {
			c, err := web.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			c.Close()
		}
	}()
	answers := func(err error) net.Listener {
		l := listen()
		s := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return err }))
		go s.Serve(l)
		t.Cleanup(s.Stop)
		return l
	}
	for name, c := range map[string]struct {
		l    net.Listener
		text string
	}{
		"nobody":      {closed, "is a Spark Connect server running there"},
		"a web page":  {web, "Spark Connect server"},
		"wrong token": {answers(status.Error(codes.Unauthenticated, "Invalid token")), "the server wants another token"},
		"other gRPC": {answers(status.Error(codes.Unimplemented, "unknown service")),
			"no Spark Connect server, or one older than 3.5"},
	} {
		checks, end, err := Checks(fmt.Sprintf("sc://%s/;token=SECRET", c.l.Addr()), engine.Options{Log: quiet}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var all []checkup.Finding
		counts := checkup.Run(t.Context(), checks, func(f checkup.Finding) { all = append(all, f) })
		end()
		if counts[checkup.Failure] != 1 || counts[checkup.Skipped] != len(checks)-1 ||
			!strings.Contains(all[0].Text, c.text) ||
			!strings.Contains(all[0].Text, c.l.Addr().String()) || strings.Contains(fmt.Sprint(all), "SECRET") {
			t.Errorf("%s: %+v", name, all)
		}
	}
	var wrong *engine.MasterError
	if _, _, err := Checks("sc://", engine.Options{}, Options{}); !errors.As(err, &wrong) {
		t.Errorf("no host: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	state := func(days int) tls.ConnectionState {
		return tls.ConnectionState{Version: tls.VersionTLS13, PeerCertificates: []*x509.Certificate{{
			Subject: pkix.Name{CommonName: "spark"}, Issuer: pkix.Name{CommonName: "ca"}, NotAfter: now.AddDate(0, 0, days)}}}
	}
	if f := judgeCertificate(state(40), true, now); f.Level != checkup.OK ||
		f.Text != "TLS 1.3, certificate of spark by ca until 2026-12-31, with a token" {
		t.Errorf("%+v", f)
	}
	if f := judgeCertificate(state(10), false, now); f.Level != checkup.Warning ||
		!strings.Contains(f.Text, "2026-12-01, without a token") ||
		!strings.Contains(f.Fix, "renew") {
		t.Errorf("%+v", f)
	}
}
