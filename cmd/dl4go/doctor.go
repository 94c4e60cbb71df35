package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/doctor"
	"github.com/dl4go/dl4go/internal/usage"
)

// doctorFlags are the flags of dl4go doctor.
type doctorFlags struct {
	engineFlags
	want    doctor.Options
	network distributed.Residents
	json    bool
}

func doctorCommand() *cobra.Command {
	f := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor --master ENGINE",
		Short: "Check whether a Spark cluster, or this machine, has what dl4go needs",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.engineFlags.add(fs, "local[*]")
	fs.IntVar(&f.want.Workers, "workers", 0, "`N` workers that should run at the same time")
	fs.StringVar(&f.want.Dir, "dir", "", "`DIR` export directory to check, as the cluster sees it")
	addNetwork(fs, &f.network)
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	return cmd
}

func (f *doctorFlags) run(cmd *cobra.Command) error {
	if err := arguments.Positive(cmd, "threads", "workers"); err != nil {
		return err
	}
	kernels, err := f.Kernels()
	if err != nil {
		return err
	}
	f.want.Kernel = kernels.String()
	o := newOutput(cmd, f.json)
	checks, end, err := f.checks(cmd.Context(), o)
	if err != nil {
		return err
	}
	defer end()
	return doctor.Run(cmd.Context(), o, checks)
}

// checks returns the checks of the engine.
func (f *doctorFlags) checks(ctx context.Context, o *console.Output) ([]checkup.Check, func(), error) {
	if f.Kind() == "sc" {
		options, err := f.Options(o)
		if err != nil {
			return nil, nil, err
		}
		checks, end, err := doctor.Checks(f.Master, options, f.want)
		open := func(ctx context.Context) (engine.Engine, error) { return f.Open(ctx, o) }
		return append(checks, doctor.Reach(open, f.network, o.Log())), end, f.Explain(err)
	}
	err := usage.NoEffect(f.Given, "--master sc://…", "--master "+f.Master, append(slices.Clone(reachFlags), "dir")...)
	if err != nil {
		return nil, nil, err
	}
	e, err := f.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return append(doctor.MachineChecks(e, f.want), doctor.Jobs(e)), func() { e.Close() }, nil
}
