package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cleanup"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/usage"
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
		Short: "Remove what killed runs left",
		Args:  usage.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.addMaster(fs, "local")
	fs.StringArrayVar(&f.dirs, "dir", nil, "`DIR` directory to look in, too; repeatable")
	fs.DurationVar(&f.OlderThan, "older-than", seenFor, "`TIME` keep what was seen since")
	fs.BoolVar(&f.DryRun, "dry-run", false, "list what would be removed; remove nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.addCluster(fs)
	return cmd
}

func (f *cleanFlags) run(cmd *cobra.Command) error {
	if f.OlderThan < 0 {
		return usagef("--older-than %v: it is not negative", f.OlderThan)
	}
	ctx, o, begin := cmd.Context(), newOutput(cmd, f.json), time.Now()
	e, err := f.Open(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	cleaner, ok := e.(engine.Cleaner)
	if !ok {
		return usagef("--master %s: this engine leaves nothing that could be cleaned", e.Master())
	}
	runs, err := cleanup.Find(ctx, cleaner, f.dirs)
	if wrong := (*cleanup.DirError)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("--dir: %w", err)
	}
	if err != nil {
		return err
	}
	f.Seen = func(r engine.Run, verdict string) {
		size := "size unknown"
		if r.Bytes >= 0 {
			size = progress.Bytes(r.Bytes)
		}
		o.Line("%s, %s, last seen %s: %s", r.Place, size, r.Seen.Local().Format(time.DateTime), verdict)
		o.Emit("run", event{"name": r.Name, "place": r.Place, "bytes": r.Bytes, "seen": r.Seen.UTC(), "verdict": verdict})
	}
	done, failed := cleanup.Remove(ctx, cleaner, runs, begin, f.Options)
	what := "removed"
	if f.DryRun {
		what = "to be removed"
	}
	o.Line("%s: %s %s, %s; %d left", e.Master(), progress.Plural(done.Removed, "run"), what,
		progress.Bytes(done.Bytes), done.Left)
	err = o.Done(event{"removed": done.Removed, "bytes": done.Bytes, "left": done.Left, "dryRun": f.DryRun,
		"seconds": time.Since(begin).Seconds()})
	return cmp.Or(err, failed)
}
