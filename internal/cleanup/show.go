package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
)

// Show finds runs in the default places and in dirs, removes them, and shows what was done with each. It sets
// Options.Seen. Errors name flags.
func Show(ctx context.Context, out *console.Output, e engine.Engine, cleaner engine.Cleaner, dirs []string,
	o Options) error {
	begin := time.Now()
	runs, err := Find(ctx, cleaner, dirs)
	if wrong := (*DirError)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("--dir: %w", err)
	}
	if err != nil {
		return err
	}
	o.Seen = func(r engine.Run, verdict string) {
		size := "size unknown"
		if r.Bytes >= 0 {
			size = progress.Bytes(r.Bytes)
		}
		out.Line("%s, %s, last seen %s: %s", r.Place, size, r.Seen.Local().Format(time.DateTime), verdict)
		out.Emit("run", console.Event{"name": r.Name, "place": r.Place, "bytes": r.Bytes, "seen": r.Seen.UTC(),
			"verdict": verdict})
	}
	done, failed := Remove(ctx, cleaner, runs, begin, o)
	what := "removed"
	if o.DryRun {
		what = "to be removed"
	}
	out.Line("%s: %s %s, %s; %d left", e.Master(), progress.Plural(done.Removed, "run"), what,
		progress.Bytes(done.Bytes), done.Left)
	err = out.Done(console.Event{"removed": done.Removed, "bytes": done.Bytes, "left": done.Left, "dryRun": o.DryRun,
		"seconds": time.Since(begin).Seconds()})
	return cmp.Or(err, failed)
}
