package tune

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
)

type event = console.Event

// Show runs a search, and shows its settings and its trials. model and dir are the names that the user gave to the
// network and to the directory of the search.
func Show(ctx context.Context, out *console.Output, c Config, model, dir string) (*Result, error) {
	info := c.Data.Info()
	out.Line("%-10s %s, seed %d", "network", out.Strong(model), c.Seed)
	out.Line("%-10s %s examples of %s, %s held out", "data", progress.Count(int64(info.Examples)), info.Name,
		progress.Count(int64(c.HeldOut.Info().Examples)))
	out.Line("%-10s %s; by %s", "search", c.Describe(), c.Metric)
	out.Lines(c.Space.Lines())
	passes := Passes(c.Plan())
	out.Emit("start", event{"model": model, "data": info.Name, "examples": info.Examples, "metric": c.Metric,
		"search": c.Search, "trials": c.Trials, "epochs": c.Epochs, "passes": passes, "seed": c.Seed,
		"master": c.Engine.Master(), "output": dir})
	out.Start("tune", int64(passes)*int64(info.Examples))
	defer out.Stop()
	c.Listen = func(e Event) { e.show(out, c, int64(info.Examples)) }
	return Run(ctx, c)
}

// show shows a trial.
func (e Event) show(out *console.Output, c Config, examples int64) {
	o := event{"trial": e.Number, "settings": e.Settings.Map(), "epochs": len(e.Epochs), "rung": e.Rung + 1,
		"seconds": e.Seconds, "best": e.Best}
	came := "diverged"
	if e.Diverged != "" {
		o["diverged"] = e.Diverged
	} else if score := e.Score(c.Metric); score != nil {
		came = fmt.Sprintf("%s %.4f", c.Metric, *score)
		o[c.Metric] = *score
	}
	if e.Best {
		came += "  best"
	}
	out.Line("trial %-4d %s  %s  %s  %.2f s", e.Number, e.Settings, progress.Plural(len(e.Epochs), "epoch"), came,
		e.Seconds)
	out.Emit("trial", o)
	out.Bar().Add(int64(e.Trained)*examples, came)
}

// Saved says where the best network of a search is.
type Saved struct {
	Model   string // the file
	Command string // the command line that trains the network
	Plain   bool   // whether that command can read the data
}

// Show shows the result of a search.
func (r *Result) Show(out *console.Output, c Config, s Saved) error {
	epoch, score := r.Best.Best(c.Metric, c.Epochs)+1, *r.Best.Score(c.Metric)
	if r.Diverged > 0 {
		out.Line("%s diverged", progress.Plural(r.Diverged, "trial"))
	}
	out.Line("best       trial %d, epoch %d: %s", r.Best.Number, epoch, r.Best.Settings)
	if s.Plain {
		out.Line("the same model by: %s", s.Command)
	}
	out.Line("saved %s: held-out %s %s; the trials are in %s", out.Strong(s.Model), c.Metric,
		out.Strong(fmt.Sprintf("%.4f", score)), c.Dir.Table())
	return out.Done(event{"trial": r.Best.Number, "settings": r.Best.Settings.Map(), "metric": c.Metric,
		"diverged": r.Diverged,
		c.Metric:   score, "epochs": epoch, "trials": len(r.Trials),
		"model": s.Model, "table": c.Dir.Table(), "lines": c.Dir.Lines(), "command": s.Command,
		"seconds": r.Duration.Seconds()})
}
