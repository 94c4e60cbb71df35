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

	"github.com/dl4go/dl4go/distributed/resident"
)

// coordinatorFlags are what dl4go coordinator is asked for.
type coordinatorFlags struct {
	listen, address, keys string
	jobs                  int
}

func coordinatorCommand() *cobra.Command {
	f := &coordinatorFlags{}
	cmd := &cobra.Command{
		Use:   "coordinator --listen HOST:PORT --credentials FILE",
		Short: "Coordinate training beside a cluster whose workers can't reach the client",
		Long: `Coordinate training where the workers of a cluster can't reach the machine on which dl4go train runs.

  dl4go coordinator --listen 10.0.0.7:7070 --credentials coordinator.json     beside the cluster
  dl4go train --training sharing --master sc://… --coordinator coordinator.json

Workers that stay for a whole fit send what they learn to a coordinator, which is a part of dl4go train. Executors often
can't open connections to that machine: it is behind a gateway, or is a laptop. This command runs where both reach
it, beside the Spark Connect server, say. Clients and workers come to the one port that it listens at, each with
certificates: clients with those in FILE, workers with those of their job.

FILE is written anew whenever the command begins, and removed at its end. Copy it to the clients by a way that you trust: who
has it can have jobs coordinated here, and reach nothing else. It is valid for a year.

A job takes the memory of its network's parameters and of some of their updates. It ends when its client does, or is not
heard of for 30 s. Ctrl-C ends all jobs; their clients say so, and keep what was trained.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.listen, "listen", "", "`HOST:PORT` to listen at, of this machine")
	fs.StringVar(&f.address, "address", "", "`HOST[:PORT]` by which clients and workers reach it, where that is not --listen's")
	fs.StringVar(&f.keys, "credentials", "", "`FILE` to write for the clients")
	fs.IntVar(&f.jobs, "jobs", 16, "how many jobs there may be at a time")
	return cmd
}

func (f *coordinatorFlags) run(cmd *cobra.Command) error {
	if f.listen == "" || f.keys == "" {
		return usagef("--listen and --credentials are needed; %s --help says what they are", cmd.CommandPath())
	}
	if err := positive(cmd, "jobs"); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usagef("--listen %q: wanted HOST:PORT: %w", f.listen, err)
	}
	if ip, err := netip.ParseAddr(host); f.address == "" && (host == "" || err == nil && ip.IsUnspecified()) {
		return usagef("--listen %s is every address of this machine: say with --address by which one others reach it", f.listen)
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	s, err := resident.NewServer(l, resident.ServerOptions{Address: f.reached(host, l), Jobs: f.jobs,
		Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	if err := s.Keys().Write(f.keys); err != nil {
		stop(err)
		s.Run(ctx)
		return fmt.Errorf("--credentials: %w", err)
	}
	defer os.Remove(f.keys)
	newOutput(cmd, false).line("coordinator at %s; clients need %s: dl4go train --coordinator %s", s.Keys().Address, f.keys, f.keys)
	defer context.AfterFunc(cmd.Context(), func() { stop(errors.New("dl4go coordinator was ended by a signal")) })()
	s.Run(ctx)
	return nil
}

// reached is the address for others.
func (f *coordinatorFlags) reached(host string, l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if f.address == "" {
		return net.JoinHostPort(host, port)
	}
	if _, _, err := net.SplitHostPort(f.address); err == nil {
		return f.address
	}
	return net.JoinHostPort(f.address, port)
}
