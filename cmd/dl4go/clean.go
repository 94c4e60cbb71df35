package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/cleanup"
)

// cleanFlags are the flags of dl4go clean.
type cleanFlags struct {
	engineFlags
	cleanup.Options
	dirs []string
	json bool
}

// seenFor is the default of --older-than: how long a run must not have been seen if its owner can't be asked. A run on
// Spark gives a sign of life every hour.
const seenFor = 24 * time.Hour

func cleanCommand() *cobra.Command {
	f := &cleanFlags{}
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove the files of killed runs",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.addMaster(fs, "local")
	fs.StringArrayVar(&f.dirs, "dir", nil, "`DIR` directory to look in, too; repeatable")
	fs.DurationVar(&f.OlderThan, "older-than", seenFor, "`TIME` keep files of runs seen since")
	fs.BoolVar(&f.DryRun, "dry-run", false, "list what would be removed; remove nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.addCluster(fs)
	return cmd
}

func (f *cleanFlags) run(cmd *cobra.Command) error {
	if f.OlderThan < 0 {
		return usagef("--older-than %v: it must not be negative", f.OlderThan)
	}
	ctx, o := cmd.Context(), newOutput(cmd, f.json)
	e, err := f.Open(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	cleaner, ok := e.(engine.Cleaner)
	if !ok {
		return usagef("--master %s: this engine leaves no files to remove", e.Master())
	}
	return cleanup.Show(ctx, o, e, cleaner, f.dirs, f.Options)
}
