package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

const (
	dialTime = 5 * time.Second
	// silence is the time without progress after which a connection is given up.
	silence = time.Minute
)

// newTransport makes a transport whose requests can't wait forever. bundle is a file of the trusted authorities; if it
// is empty, the system's are trusted.
func (f *FileSystem) newTransport(bundle string) (http.RoundTripper, error) {
	if f.transport != nil {
		return f.transport, nil
	}
	var trust *tls.Config
	if bundle != "" {
		roots, err := authorities(bundle)
		if err != nil {
			return nil, err
		}
		trust = &tls.Config{RootCAs: roots}
	}
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: f.proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return impatient{c}, nil
		},
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: dialTime,
		DisableCompression:  true, // ranges are of the stored bytes
		TLSClientConfig:     trust,
	}, nil
}

// authorities reads the trusted certificate authorities.
func authorities(bundle string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(bundle)
	if err != nil {
		return nil, fmt.Errorf("AWS_CA_BUNDLE: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("AWS_CA_BUNDLE: there is no certificate in %s", bundle)
	}
	return roots, nil
}

// impatient ends reads and writes that make no progress.
type impatient struct{ net.Conn }

func (c impatient) Read(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(silence))
	return c.Conn.Read(p)
}

func (c impatient) Write(p []byte) (int, error) {
	// The HTTP client waits for the response in Read meanwhile: sent bytes are a sign of life too.
	c.SetDeadline(time.Now().Add(silence))
	return c.Conn.Write(p)
}
