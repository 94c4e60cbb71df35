package resident

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
)

// Listen opens the port of a server at HOST:PORT. Others reach it at ServerOptions.Address, a host or HOST:PORT: the
// same by default. Errors name the flags of dl4go coordinator.
func Listen(listen string, o ServerOptions) (*Server, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, usage.Errorf("--listen %q: wanted HOST:PORT: %w", listen, err)
	}
	if ip, err := netip.ParseAddr(host); o.Address == "" && (host == "" || err == nil && ip.IsUnspecified()) {
		return nil, usage.Errorf("--listen %s is every address of this machine: say with --address by which one others "+
			"reach it", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", listen, err)
	}
	o.Address = advertised(o.Address, host, l)
	return NewServer(l, o)
}

// RunWithKeys writes the keys to a file, and calls begun with its path. It serves until the context ends, and then
// removes the file. Errors name the flags of dl4go coordinator.
func (s *Server) RunWithKeys(ctx context.Context, file string, begun func(path string)) error {
	path, err := storage.Path(file)
	if err != nil {
		return fmt.Errorf("--credentials: %w", err)
	}
	until, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	if err := s.Keys().Write(path); err != nil {
		stop(err)
		s.Run(until)
		return fmt.Errorf("--credentials: %w", err)
	}
	defer os.Remove(path)
	begun(path)
	defer context.AfterFunc(ctx, func() { stop(errors.New("dl4go coordinator was ended by a signal")) })()
	s.Run(until)
	return nil
}
