package trainlog

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/stats"
)

// ratesShown is the number of steps of a range test that are printed.
const ratesShown = 25

// Rates prints the curve of a range test and the rate that it proposes, and writes the file, unless it is "-".
func Rates(ctx context.Context, o *console.Output, r *stats.Rates, file, title string) error {
	o.Lines(r.Table(ratesShown))
	for i := range r.Rate {
		o.Emit("rate", event{"step": i + 1, "learningRate": r.Rate[i], "loss": jsonline.Value(r.Loss[i]),
			"smoothed": jsonline.Value(r.Smoothed[i])})
	}
	e := event{"steps": len(r.Rate)}
	if rate, ok := r.Proposed(); ok {
		e["proposed"] = rate
		o.Line("proposed learning rate: %s", o.Strong(fmt.Sprintf("%.2g", rate)))
	} else {
		o.Line("no rate is proposed: the loss does not fall at any of them")
	}
	if file != "-" {
		if err := r.Export(ctx, file, "Learning rates of "+title); err != nil {
			return fmt.Errorf("--find-learning-rate: %w", err)
		}
		o.Line("wrote %s", file)
		e["file"] = file
	}
	return o.Done(e)
}
