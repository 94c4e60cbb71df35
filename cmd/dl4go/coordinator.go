package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/metrics"
	"github.com/dl4go/dl4go/internal/resident"
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
		Args:  arguments.NoArguments,
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
	if err := arguments.Positive(cmd, "jobs"); err != nil {
		return err
	}
	s, err := resident.Listen(f.listen, resident.ServerOptions{Address: f.address, Jobs: f.jobs,
		Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))})
	if err != nil {
		return err
	}
	out := newOutput(cmd, false)
	if f.metrics != "" {
		e, err := metrics.Show(out, f.metrics)
		if err != nil {
			return err
		}
		defer e.Close()
		metrics.Coordinator(e, s.Working, f.jobs)
	}
	return s.RunWithKeys(cmd.Context(), f.keys, func(path string) {
		out.Line("coordinator at %s; clients need %s: dl4go train --coordinator %s", s.Keys().Address, path, path)
	})
}
