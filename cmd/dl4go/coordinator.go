package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/metrics"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
)

// coordinatorFlags are the flags of dl4go coordinator.
type coordinatorFlags struct {
	listen, address, keys, metrics string
	jobs                           int
}

func coordinatorCommand() *cobra.Command {
	f := &coordinatorFlags{}
	cmd := &cobra.Command{
		Use:   "coordinator --listen HOST:PORT --credentials FILE",
		Short: "Coordinate training where workers cannot reach the driver",
		Args:  usage.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.listen, "listen", "", "`HOST:PORT` address to listen at")
	fs.StringVar(&f.address, "address", "", "`HOST[:PORT]` address that others use (default: --listen's)")
	fs.StringVar(&f.keys, "credentials", "", "`FILE` file to write, for --coordinator")
	fs.IntVar(&f.jobs, "jobs", 16, "`N` jobs at a time")
	fs.StringVar(&f.metrics, "metrics-address", "", metricsHelp)
	return cmd
}

func (f *coordinatorFlags) run(cmd *cobra.Command) error {
	if f.listen == "" || f.keys == "" {
		return usagef("--listen and --credentials are needed; %s --help says what they are", cmd.CommandPath())
	}
	if err := usage.Positive(cmd, "jobs"); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usagef("--listen %q: wanted HOST:PORT: %w", f.listen, err)
	}
	if ip, err := netip.ParseAddr(host); f.address == "" && (host == "" || err == nil && ip.IsUnspecified()) {
		return usagef("--listen %s is every address of this machine: say with --address by which one others reach it",
			f.listen)
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	s, err := resident.NewServer(l, resident.ServerOptions{Address: resident.Reached(f.address, host, l), Jobs: f.jobs,
		Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))})
	if err != nil {
		return err
	}
	if f.keys, err = storage.Path(f.keys); err != nil {
		return fmt.Errorf("--credentials: %w", err)
	}
	if f.metrics != "" {
		e, err := metrics.Listen(f.metrics)
		if err != nil {
			return err
		}
		defer e.Close()
		metrics.Coordinator(e, s.Working, f.jobs)
		newOutput(cmd, false).Line("metrics at http://%s/metrics", e.Address())
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	if err := s.Keys().Write(f.keys); err != nil {
		stop(err)
		s.Run(ctx)
		return fmt.Errorf("--credentials: %w", err)
	}
	defer os.Remove(f.keys)
	newOutput(cmd, false).Line("coordinator at %s; clients need %s: dl4go train --coordinator %s", s.Keys().Address,
		f.keys, f.keys)
	defer context.AfterFunc(cmd.Context(), func() { stop(errors.New("dl4go coordinator was ended by a signal")) })()
	s.Run(ctx)
	return nil
}
