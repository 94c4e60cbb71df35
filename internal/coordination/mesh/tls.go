package mesh

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// identity is a process's proof of its identity, and its means to check others'.
type identity struct {
	job         coordination.JobID
	role        Role
	certificate tls.Certificate
	authority   *x509.CertPool
	protocol    string // above TLS
}

func newIdentity(c Credentials) (*identity, error) {
	bad := func(what string, err error) (*identity, error) {
		return nil, fmt.Errorf("mesh: the %s in the %v is damaged: %w", what, c, err)
	}
	authority, err := x509.ParseCertificate(c.Authority)
	if err != nil {
		return bad("authority", err)
	}
	leaf, err := x509.ParseCertificate(c.Certificate)
	if err != nil {
		return bad("certificate", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(c.Key)
	if err != nil {
		return bad("key", errors.New("it is not a private key in PKCS #8"))
	}
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok || !private.PublicKey.Equal(leaf.PublicKey) {
		return bad("key", errors.New("it does not belong to the certificate"))
	}
	if err := leaf.VerifyHostname(certified(c.Role, c.Job)); err != nil {
		return bad("certificate", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	return &identity{c.Job, c.Role, tls.Certificate{Certificate: [][]byte{c.Certificate}, PrivateKey: key, Leaf: leaf},
		pool, "h2"}, nil
}

// config has the settings of both sides: TLS 1.3, no resumption (so nothing can be replayed), the protocol.
func (i *identity) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{i.certificate},
		NextProtos: []string{i.protocol}, SessionTicketsDisabled: true}
}

// client accepts only a process of the job that has the role.
func (i *identity) client(to Role) *tls.Config {
	c := i.config()
	c.RootCAs, c.ServerName = i.authority, certified(to, i.job)
	return c
}

// server accepts only a worker of the job.
func (i *identity) server() *tls.Config {
	c := i.config()
	c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, i.authority
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if s.NegotiatedProtocol != i.protocol {
			return fmt.Errorf("it does not speak %s", i.protocol)
		}
		return s.PeerCertificates[0].VerifyHostname(certified(Worker, i.job))
	}
	return c
}

// gone reports whether a connection failed because the peer has ended it.
func gone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// explain adds to an error of a connection its likely cause, for the person who has to fix it.
func explain(err error) error {
	var (
		unknown  x509.UnknownAuthorityError
		invalid  x509.CertificateInvalidError
		hostname x509.HostnameError
		record   tls.RecordHeaderError
		op       *net.OpError
		name     *net.DNSError
	)
	advice := ""
	switch {
	case errors.As(err, &unknown):
		advice = "its certificate is not of this job: it belongs to another job or another run"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		advice = fmt.Sprintf("its certificate is valid from %v to %v: the job is older than Terms.Life, or a clock is wrong",
			invalid.Cert.NotBefore.Format(time.RFC3339), invalid.Cert.NotAfter.Format(time.RFC3339))
	case errors.As(err, &hostname):
		advice = "its certificate is of this job, but of another role: the address is somebody else's now"
	case errors.As(err, &record):
		advice = "it does not speak TLS: another program listens there"
	case errors.As(err, &op) && op.Op == "remote error":
		advice = "it refuses this process's certificate: that is of another job, or is no longer valid there (Terms.Life, " +
			"or a clock that is wrong)"
	case errors.Is(err, syscall.ECONNREFUSED):
		advice = "nobody listens there: the process has ended, or the address is not the one that it has for this machine"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		advice = "there is no answer: a firewall drops it, or it is overloaded, or the address is of a network that this " +
			"machine does not reach"
	case gone(err):
		advice = "it has ended the connection: its process ends, or has more connections than it bears"
	case errors.As(err, &name):
		advice = "this machine cannot find the name: advertise an address instead (Place.Host)"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}
