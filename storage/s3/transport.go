package s3

import (
	"context"
	"net"
	"net/http"
	"time"
)

const (
	dialTime = 5 * time.Second
	// silence is for how long a server may say nothing, or take nothing, before the connection is given up.
	silence = time.Minute
)

// newTransport makes a transport on which no request waits without end.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
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
		DisableCompression:  true, // ranges are of what is stored
	}
}

// impatient ends reading and writing that do not go on.
type impatient struct{ net.Conn }

func (c impatient) Read(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(silence))
	return c.Conn.Read(p)
}

func (c impatient) Write(p []byte) (int, error) {
	// The HTTP client waits in Read for the answer all the while: what is sent is a sign of life too.
	c.SetDeadline(time.Now().Add(silence))
	return c.Conn.Write(p)
}
