package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/dl4go/dl4go/storage"
)

// TLS is the settings of a TLS connection beyond the machine's own list of authorities.
type TLS struct {
	CAFile     string // PEM: authorities to trust instead of the machine's
	CertFile   string // PEM: the client's certificate, with KeyFile
	KeyFile    string
	ServerName string // the name in the server's certificate, if it is not the host's
}

func (t TLS) config() (*tls.Config, error) {
	for _, file := range []*string{&t.CAFile, &t.CertFile, &t.KeyFile} {
		path, err := storage.Path(*file)
		if err != nil {
			return nil, err
		}
		*file = path
	}
	c := &tls.Config{ServerName: t.ServerName, MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("the list of authorities: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no PEM certificate", t.CAFile)
		}
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, fmt.Errorf("a client certificate and its key are given together")
	}
	if t.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

// Handshake makes a TLS connection to the server, as Open does, and closes it at once. It returns its state: the
// server's certificates.
func Handshake(ctx context.Context, a Address, o Options) (tls.ConnectionState, error) {
	c, err := o.TLS.config()
	if err != nil {
		return tls.ConnectionState{}, err
	}
	c.NextProtos = []string{"h2"}
	conn, err := (&tls.Dialer{Config: c}).DialContext(ctx, "tcp", a.Server())
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState(), nil
}

// Windows of HTTP/2 that let rows stream at the speed of the disk over a link with some delay.
const (
	streamWindow     = 8 << 20
	connectionWindow = 16 << 20
)

// A connection may die silently, when a machine on the way forgets it. Unacknowledged data (TCP_USER_TIMEOUT, on
// Linux) and unanswered pings on a quiet connection end it. Servers disconnect clients that ping more often than
// every 5 minutes.
const (
	unanswered = 30 * time.Second
	quietTime  = 6 * time.Minute
)

func dial(a Address, o Options) (*grpc.ClientConn, error) {
	opts := []grpc.DialOption{
		grpc.WithUserAgent(userAgent(a)),
		grpc.WithInitialWindowSize(streamWindow),
		grpc.WithInitialConnWindowSize(connectionWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(o.MaxMessage), grpc.MaxCallSendMsgSize(o.MaxMessage)),
		grpc.WithDisableServiceConfig(),
		// Retries should find a server again that was gone for a while.
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 20 * time.Second,
			Backoff: backoff.Config{BaseDelay: o.Retry.First, Multiplier: 2, Jitter: 0.2, MaxDelay: o.Retry.Longest / 3}}),
	}
	opts = append(opts, grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: quietTime, Timeout: unanswered}))
	switch {
	case a.TLS:
		c, err := o.TLS.config()
		if err != nil {
			return nil, err
		}
		opts = append(opts, grpc.WithTransportCredentials(credentials.NewTLS(c)))
	case o.TLS != TLS{}:
		return nil, fmt.Errorf("%s: certificates were given, but the connection is without TLS: "+
			"add use_ssl=true to the connection string", a)
	case !a.Loopback() && a.Token != "":
		return nil, fmt.Errorf("%s: the token would travel in plain sight: add use_ssl=true to the connection string", a)
	case !a.Loopback() && !o.Insecure:
		return nil, fmt.Errorf("%s is another machine, and the connection is without TLS: add use_ssl=true to the "+
			"connection string, or allow it for a network that you trust (--insecure)", a)
	default:
		opts = append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	if a.Token != "" {
		token := o.Token
		if token == nil {
			token = func() string { return a.Token }
		}
		opts = append(opts, grpc.WithPerRPCCredentials(bearer{token, a.TLS}))
	}
	// "passthrough" leaves resolving the host's name to the dialer, once for each attempt.
	return grpc.NewClient("passthrough:///"+a.Server(), opts...)
}

// bearer sends a token with every request.
type bearer struct {
	token func() string
	tls   bool
}

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.token()}, nil
}

func (b bearer) RequireTransportSecurity() bool { return b.tls }
