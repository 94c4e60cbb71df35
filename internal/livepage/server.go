// Package livepage serves pages about training to browsers: of a run while it trains, and of the finished runs of a
// directory. A request must have a token, and must come from the server's own pages or from no page.
package livepage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// DefaultAddress is a free port of the loopback interface.
const DefaultAddress = "127.0.0.1:0"

// Options say on which address a server listens.
type Options struct {
	// Address is HOST:PORT; the default is [DefaultAddress]. An empty host or 0.0.0.0 means every address.
	Address string
	// Certificate and Key are PEM files for TLS. If they are empty, the server uses plain HTTP.
	Certificate, Key string
	// Exposed allows plain HTTP at an address that other machines reach. They can read the token in transit.
	Exposed bool
}

// ErrExposed refuses plain HTTP at an address that other machines reach.
var ErrExposed = errors.New("other machines reach this address, and plain HTTP would show them the token")

// Server serves pages until Close.
type Server struct {
	http   *http.Server
	guard  *guard
	base   url.URL
	closed chan struct{}  // tells streams to end
	busy   sync.WaitGroup // Serve, and the handlers
	once   sync.Once
	// farewell is how long Close waits for the last update to browsers.
	farewell time.Duration
}

// Pages is the content of a server: [Live] or [Archive].
type Pages interface {
	// handler serves requests that the guard has admitted. Streams end when closed is closed.
	handler(closed <-chan struct{}, g *guard) http.Handler
}

// The limits of requests. Only small forms have bodies.
const (
	mostHeader = 16 << 10
	headerTime = 10 * time.Second
	idleTime   = time.Minute
	farewell   = 5 * time.Second // the value of Server.farewell
)

// pair reads the certificate and its key, which may be at URLs.
func (o *Options) pair() (pair tls.Certificate, err error) {
	certificate, err := storage.ReadFile(context.Background(), o.Certificate)
	if err != nil {
		return pair, err
	}
	key, err := storage.ReadFile(context.Background(), o.Key)
	if err != nil {
		return pair, err
	}
	if pair, err = tls.X509KeyPair(certificate, key); err != nil {
		return pair, fmt.Errorf("%s and %s: %w", o.Certificate, o.Key, err)
	}
	return pair, nil
}

// Open starts a server of pages.
func Open(o Options, p Pages) (*Server, error) {
	if o.Address == "" {
		o.Address = DefaultAddress
	}
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%s: want HOST:PORT: %w", o.Address, err)
	}
	if (o.Certificate == "") != (o.Key == "") {
		return nil, errors.New("a certificate and its key go together; give both files")
	}
	if !o.Exposed && o.Certificate == "" && !isLoopback(host) {
		return nil, fmt.Errorf("%s: %w", o.Address, ErrExposed)
	}
	l, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, err
	}
	s := &Server{closed: make(chan struct{}), base: url.URL{Scheme: "http", Path: "/"}, farewell: farewell}
	names := []string{host}
	if o.Certificate != "" {
		cert, err := o.pair()
		if err != nil {
			l.Close()
			return nil, err
		}
		names = append(names, cert.Leaf.DNSNames...)
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12,
			NextProtos: []string{"h2", "http/1.1"}})
		s.base.Scheme = "https"
	}
	s.base.Host = reached(names, l.Addr().(*net.TCPAddr).Port)
	s.guard = newGuard(names, l.Addr().(*net.TCPAddr), s.base.Scheme == "https")
	s.guard.next = p.handler(s.closed, s.guard)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeader,
		ErrorLog: log.New(io.Discard, "", 0)}
	s.busy.Add(1)
	go func() {
		defer s.busy.Done()
		s.http.Serve(l) // until Close
	}()
	return s, nil
}

// ServeHTTP counts the running handlers, for which Close waits.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.busy.Add(1)
	defer s.busy.Done()
	s.guard.ServeHTTP(w, r)
}

// URL returns the URL of the first page, with the token that allows everything.
func (s *Server) URL() string { return s.with(s.guard.control) }

// WatchURL returns the URL of the first page, with a token that only allows watching.
func (s *Server) WatchURL() string { return s.with(s.guard.watch) }

func (s *Server) with(token string) string {
	u := s.base
	u.RawQuery = url.Values{"token": {token}}.Encode()
	return u.String()
}

// Close tells browsers that the server ends, and ends it. No goroutine remains. Closing a nil Server does nothing.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.once.Do(func() {
		close(s.closed)
		ctx, cancel := context.WithTimeout(context.Background(), s.farewell)
		defer cancel()
		if s.http.Shutdown(ctx) != nil {
			s.http.Close()
		}
		s.busy.Wait()
	})
}

// isLoopback reports whether only this machine reaches the host.
func isLoopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// reached returns the host by which browsers reach the server: the first usable name, or else the name of this
// machine.
func reached(names []string, port int) string {
	for _, host := range names {
		if ip := net.ParseIP(host); host != "" && !strings.Contains(host, "*") && (ip == nil || !ip.IsUnspecified()) {
			return net.JoinHostPort(host, fmt.Sprint(port))
		}
	}
	return net.JoinHostPort(hostname(), fmt.Sprint(port))
}
