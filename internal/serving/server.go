package serving

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // requests may be compressed
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/tap"

	"github.com/dl4go/dl4go/storage"
)

// Options are settings of a [Server].
type Options struct {
	HTTP, GRPC string // HOST:PORT of each; empty: not served
	Version    string // of the program
	// Timeout is the time limit of a request, including waiting.
	Timeout time.Duration
	// Slow is the time limit for the headers of a request, and the time beyond Timeout for the rest of it; 0 means ten
	// seconds.
	Slow time.Duration
	// MaxRequest limits the bytes of a request, and MaxHeld those of all requests and answers in memory; 0 means no
	// limit.
	MaxRequest, MaxHeld int64
	// LogRequests makes Log report each request: its model, rows, status and times, but neither inputs nor outputs.
	LogRequests bool
	// Drain is how long current requests may take when the server ends.
	Drain time.Duration
	// Token is the token that requests must have; empty for none. Health needs no token.
	Token string
	// TLS has the server's certificate; nil means no TLS. If it has ClientCAs, clients need a certificate.
	TLS *tls.Config
	Log *slog.Logger
}

// The default of Options.Slow, the time that a connection without requests stays open, and the limit of the bytes in a
// request's headers.
const (
	slow       = 10 * time.Second
	idle       = 2 * time.Minute
	maxHeaders = 32 << 10
)

var errToken = errors.New("the token is missing or wrong; send Authorization: Bearer TOKEN")

// allowed reports whether a request's Authorization header has the token.
func (o *Options) allowed(authorization string) bool {
	return o.Token == "" || subtle.ConstantTimeCompare([]byte(authorization), []byte("Bearer "+o.Token)) == 1
}

// TLSOf reads a certificate and its key, and, unless clients is empty, the authorities of clients' certificates. The
// files may be at URLs.
func TLSOf(ctx context.Context, certificate, key, clients string) (*tls.Config, error) {
	own, err := storage.ReadFile(ctx, certificate)
	if err != nil {
		return nil, err
	}
	secret, err := storage.ReadFile(ctx, key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(own, secret)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", certificate, key, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clients != "" {
		text, err := storage.ReadFile(ctx, clients)
		if err != nil {
			return nil, err
		}
		if c.ClientCAs = x509.NewCertPool(); !c.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", clients)
		}
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return c, nil
}

// Server serves the models of a repository.
type Server struct {
	options    Options
	http, grpc net.Listener
	web        *http.Server
	rpc        *grpc.Server
	held       *budget
}

// listen opens the port of a flag.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s %s: another program uses this port; choose another with %[1]s HOST:PORT", flag, address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return l, nil
}

// Listen opens the ports. It fails if an address is in use.
func Listen(r *Repository, o Options) (*Server, error) {
	if o.Slow == 0 {
		o.Slow = slow
	}
	held := &budget{most: o.MaxHeld}
	s := &Server{options: o, held: held}
	var err error
	if o.HTTP != "" {
		if s.http, err = listen("--http", o.HTTP); err != nil {
			return nil, err
		}
		s.web = newWeb(r, o, held)
		if o.TLS != nil {
			s.http = tls.NewListener(s.http, o.TLS.Clone())
		}
	}
	if o.GRPC != "" {
		if s.grpc, err = listen("--grpc", o.GRPC); err != nil {
			if s.http != nil {
				s.http.Close()
			}
			return nil, err
		}
		s.grpc, s.rpc = meteredListener{s.grpc, held}, newRPC(r, o, held)
	}
	return s, nil
}

// newWeb makes the HTTP server.
func newWeb(r *Repository, o Options, held *budget) *http.Server {
	return &http.Server{Handler: (&rest{Repository: r, options: o, held: held}).handler(),
		ReadHeaderTimeout: o.Slow,
		ReadTimeout:       o.Slow + o.Timeout, WriteTimeout: o.Slow + 2*o.Timeout,
		IdleTimeout: idle, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn)}
}

// newRPC returns the gRPC server. If a client takes too long for a request, its stream is ended. If it is silent in the
// middle of a frame, its connection is closed.
func newRPC(r *Repository, o Options, held *budget) *grpc.Server {
	settings := []grpc.ServerOption{grpc.MaxRecvMsgSize(int(o.MaxRequest)), grpc.MaxHeaderListSize(maxHeaders),
		grpc.ConnectionTimeout(o.Slow), grpc.MaxConcurrentStreams(1000), grpc.WaitForHandlers(true),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idle, Time: o.Slow, Timeout: o.Slow}),
		grpc.StatsHandler(messages{}),
		grpc.InTapHandle(func(stream context.Context, _ *tap.Info) (context.Context, error) {
			ctx, cancel := context.WithTimeout(stream, o.Slow+o.Timeout)
			in := inboxOf(stream)
			if in == nil {
				context.AfterFunc(stream, cancel)
				return ctx, nil
			}
			ctx, message := in.begin(ctx)
			context.AfterFunc(stream, func() {
				cancel()
				message.end(0)
			})
			return ctx, nil
		})}
	if o.TLS != nil {
		settings = append(settings, grpc.Creds(credentials.NewTLS(o.TLS.Clone())))
	}
	s := grpc.NewServer(settings...)
	(&rpc{r, o, held}).register(s)
	return s
}

// Addresses returns the addresses of HTTP and gRPC; empty if not served.
func (s *Server) Addresses() (http, grpc string) {
	if s.http != nil {
		http = s.http.Addr().String()
	}
	if s.grpc != nil {
		grpc = s.grpc.Addr().String()
	}
	return http, grpc
}

// Run serves requests until the context ends. Then it refuses new requests, and waits for the current ones, at most
// for Drain.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 2)
	if s.http != nil {
		go func() { failed <- s.web.Serve(s.http) }()
	}
	if s.grpc != nil {
		go func() { failed <- s.rpc.Serve(s.grpc) }()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Drain)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		if s.rpc != nil {
			s.rpc.GracefulStop()
		}
	}()
	if s.web != nil {
		if e := s.web.Shutdown(late); e != nil {
			s.web.Close()
			err = errors.Join(err, fmt.Errorf("requests by HTTP were cut off after %v", s.options.Drain))
		}
	}
	select {
	case <-over:
	case <-late.Done():
		s.rpc.Stop()
		err = errors.Join(err, fmt.Errorf("requests by gRPC were cut off after %v", s.options.Drain))
		<-over
	}
	return err
}
