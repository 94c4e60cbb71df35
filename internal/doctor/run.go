package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
)

// Run runs checks, and shows their findings. It fails if something must be fixed.
func Run(ctx context.Context, o *console.Output, checks []checkup.Check) error {
	var bad, skipped []string
	counts := checkup.Run(ctx, checks, func(found checkup.Finding) {
		switch found.Level {
		case checkup.Failure:
			bad = append(bad, found.Check)
		case checkup.Skipped:
			skipped = append(skipped, found.Check)
		}
		show(o, found)
	})
	if len(skipped) > 0 {
		o.Line("- not checked, as they need what failed: %s", strings.Join(skipped, ", "))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	warnings := progress.Plural(counts[checkup.Warning], "warning")
	err := o.Done(console.Event{"ok": counts[checkup.OK], "warnings": counts[checkup.Warning],
		"failures": counts[checkup.Failure], "skipped": counts[checkup.Skipped]})
	if len(bad) > 0 {
		return fmt.Errorf("%s must be fixed; %s", strings.Join(bad, ", "), warnings)
	}
	o.Line("\nnothing must be fixed; %s", warnings)
	return err
}
