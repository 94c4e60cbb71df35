package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/progress"
)

// cleanFlags are what dl4go clean is asked for.
type cleanFlags struct {
	engineFlags
	dirs      []string
	olderThan time.Duration
	dryRun    bool
	json      bool
}

// seenFor is how long a run whose owner can't be asked must not have been seen. A run on Spark says every hour that it
// lives.
const seenFor = 24 * time.Hour

func cleanCommand() *cobra.Command {
	f := &cleanFlags{}
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.addMaster(fs, "local")
	fs.StringArrayVar(&f.dirs, "dir", nil, "`DIR` directory to look in, too; repeatable")
	fs.DurationVar(&f.olderThan, "older-than", seenFor, "`TIME` keep what was seen since")
	fs.BoolVar(&f.dryRun, "dry-run", false, "list what would be removed; remove nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.addCluster(fs)
	return cmd
}

func (f *cleanFlags) run(cmd *cobra.Command) error {
	if f.olderThan < 0 {
		return usagef("--older-than %v: it is not negative", f.olderThan)
	}
	ctx, o, begin := cmd.Context(), newOutput(cmd, f.json), time.Now()
	e, err := f.open(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	cleaner, ok := e.(engine.Cleaner)
	if !ok {
		return usagef("--master %s: this engine leaves nothing that could be cleaned", e.Master())
	}
	runs, err := f.find(ctx, cleaner)
	if err != nil {
		return err
	}
	var failed []error
	removed, left, bytes := 0, 0, int64(0)
	for _, r := range runs {
		why := f.spared(r, begin)
		verdict := "left: " + why
		if why == "" {
			verdict = "removed"
			if f.dryRun {
				verdict = "would be removed"
			} else if err := cleaner.RemoveRun(ctx, r); err != nil {
				verdict = "not removed"
				failed = append(failed, err)
			}
		}
		if verdict == "removed" || verdict == "would be removed" {
			removed++
			bytes += max(0, r.Bytes)
		} else {
			left++
		}
		size := "size unknown"
		if r.Bytes >= 0 {
			size = progress.Bytes(r.Bytes)
		}
		o.Line("%s, %s, last seen %s: %s", r.Place, size, r.Seen.Local().Format(time.DateTime), verdict)
		o.Emit("run", event{"name": r.Name, "place": r.Place, "bytes": r.Bytes, "seen": r.Seen.UTC(), "verdict": verdict})
	}
	what := "removed"
	if f.dryRun {
		what = "to be removed"
	}
	o.Line("%s: %s %s, %s; %d left", e.Master(), progress.Plural(removed, "run"), what, progress.Bytes(bytes), left)
	if err := o.Done(event{"removed": removed, "bytes": bytes, "left": left, "dryRun": f.dryRun, "seconds": time.Since(begin).Seconds()}); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// find lists the runs of all places, each once.
func (f *cleanFlags) find(ctx context.Context, e engine.Cleaner) ([]engine.Run, error) {
	var all []engine.Run
	seen := make(map[string]bool)
	for _, dir := range append([]string{""}, f.dirs...) {
		runs, err := e.Runs(ctx, dir)
		if err != nil && dir != "" {
			err = fmt.Errorf("--dir: %w", err)
		}
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			if !seen[r.Name] {
				seen[r.Name] = true
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// spared says why a run is left alone; it is empty if it is not.
func (f *cleanFlags) spared(r engine.Run, now time.Time) string {
	switch {
	case r.Owner == engine.OwnerLives:
		return "it is in use"
	case r.Owner == engine.OwnerUnknown && now.Sub(r.Seen) < f.olderThan:
		return "its owner may live; --older-than 0s removes it all the same"
	}
	return ""
}
