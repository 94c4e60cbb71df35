package serving

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
)

// Check refuses options that no server can have, and empties the addresses that are none. Errors name flags.
func (o *Options) Check() error {
	for _, of := range []struct {
		flag    string
		address *string
	}{{"http", &o.HTTP}, {"grpc", &o.GRPC}} {
		if *of.address == "none" {
			*of.address = ""
		} else if _, _, err := net.SplitHostPort(*of.address); err != nil {
			return usage.Errorf("--%s %q: wanted HOST:PORT, or none: %w", of.flag, *of.address, err)
		}
	}
	switch {
	case o.HTTP == "" && o.GRPC == "":
		return usage.Errorf("--http none --grpc none: nobody could ask; give one an address")
	case o.Timeout <= 0 || o.MaxRequest <= 0 || o.MaxHeld <= 0 || o.Drain < 0:
		return usage.Errorf("--timeout, --max-request and --max-held are above 0; --drain is 0 or more")
	}
	return nil
}

// Secrets are files with what protects a server; empty for none.
type Secrets struct {
	Certificate, Key string // of the server
	Clients          string // authorities of the certificates that clients need
	Token            string // that requests need
}

// Secure sets TLS and Token to what the files have. Errors name flags.
func (o *Options) Secure(ctx context.Context, s Secrets) (err error) {
	if (s.Certificate == "") != (s.Key == "") || s.Clients != "" && s.Certificate == "" {
		return usage.Errorf("--tls-cert and --tls-key go together, and --client-ca goes with them")
	}
	if s.Certificate != "" {
		if o.TLS, err = TLSOf(ctx, s.Certificate, s.Key, s.Clients); err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
	}
	if s.Token != "" {
		text, err := storage.ReadFile(ctx, s.Token)
		if err != nil {
			return fmt.Errorf("--access-token: %w", err)
		}
		if o.Token = strings.TrimSpace(string(text)); o.Token == "" {
			return fmt.Errorf("--access-token %s has no token; write one into it", s.Token)
		}
	}
	return nil
}
