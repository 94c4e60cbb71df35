package trainlog

import (
	"context"
	"fmt"
	"maps"

	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// Finish prints the results of the run. err is the error of writing the statistics, or nil.
func (l *Log) Finish(ctx context.Context, r *train.Result, err error) error {
	net, c := l.net(), l.conf()
	size := int64(0)
	if f, err := storage.Open(ctx, c.Save); err == nil {
		size = f.Size()
		f.Close()
	}
	line := fmt.Sprintf("saved %s (%s)", l.Strong(c.Save), progress.Bytes(size))
	if c.FastDevRun {
		line = "fast-dev-run: trained, scored, saved, read back and removed; nothing is kept"
	}
	var hints []string
	seconds := r.Duration.Seconds()
	e := event{"score": r.Score, "examples": r.Examples, "seconds": seconds, "model": c.Save,
		"iteration": net.Iteration(), "epoch": net.Epoch(), "parameters": net.NumParams()}
	if r.Accuracy != nil {
		line += fmt.Sprintf(": held-out accuracy %s", l.Strong(fmt.Sprintf("%.4f", *r.Accuracy)))
		e["accuracy"] = *r.Accuracy
	}
	if r.HeldOut != nil {
		e["heldOutLoss"] = jsonline.Value(*r.HeldOut)
		if r.Accuracy == nil {
			e["testScore"] = *r.HeldOut
		}
	}
	if r.R2 != nil {
		line += fmt.Sprintf(": held-out R² %s, mean absolute error %.4g", l.Strong(fmt.Sprintf("%.4f", *r.R2)), *r.MAE)
		e["r2"], e["mae"] = jsonline.Value(*r.R2), jsonline.Value(*r.MAE)
	}
	line += weighted(r.Weighted, ", weighted", e)
	if r.TimeUp != nil {
		e["ended"], e["by"] = "max-time", c.MaxTime.String()
		if r.TimeUp.Asked {
			e["ended"], e["by"] = "asked", "ui"
		}
	}
	if c.FastDevRun {
		e["fastDevRun"] = true
		delete(e, "model")
	}
	for _, m := range r.Measures {
		if _, told := e[m.Name]; !told {
			line += fmt.Sprintf(", %s %.4g", m.Name, m.Value)
			e[m.Name] = jsonline.Value(m.Value)
		}
	}
	if s := r.Stopped; s != nil {
		maps.Copy(e, event{"ended": s.Reason, "by": s.By, "epochs": s.Epochs, "bestEpoch": s.BestEpoch + 1,
			"bestScore": jsonline.Value(s.BestScore), "metric": s.Metric, "latest": c.Stopping.Latest})
	}
	l.Line("%s, %.2f s in all", line, seconds)
	for _, h := range r.Hints {
		l.Line("%s %s", l.Strong(h.Title), h.Text)
		hints = append(hints, h.Kind)
	}
	if hints != nil {
		e["hints"] = hints
	}
	if len(r.Statistics) > 0 && timed(c) {
		l.Line("")
		e["stats"] = Phases(l.Output, r.Statistics, l.PhaseTable || c.StatsFile == "")
	}
	if err == nil {
		err = l.profile(ctx, r, e)
	}
	if err != nil {
		return err
	}
	if c.StatsFile != "" {
		e["statsFile"], e["events"] = c.StatsFile, len(r.Statistics)
		l.Line("wrote %s: %s and %s", c.StatsFile, progress.Plural(len(r.Statistics), "event"),
			progress.Plural(len(r.Series), "figure"))
	}
	return l.Done(e)
}

// profiled is the number of rows of the profile's table that are printed.
const profiled = 20

// profile prints the times of operations, and writes the profile's file.
func (l *Log) profile(ctx context.Context, r *train.Result, e event) error {
	if l.Profile == "" {
		return nil
	}
	l.Line("")
	l.Lines(stats.ProfileTable(r.Profile, profiled))
	all := []event{}
	for _, c := range r.Profile {
		all = append(all, event{"layer": c.Layer, "phase": c.Phase, "operation": c.Op, "times": c.Times,
			"seconds": c.Took.Seconds()})
	}
	if e["profile"] = all; l.Profile == "-" {
		return nil
	}
	if err := stats.ExportProfile(ctx, l.Profile, "Profile of "+l.Title, r.Profile); err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	l.Line("wrote %s", l.Profile)
	return nil
}

// timed reports whether the user asked for the times of phases.
func timed(c train.Config) bool {
	switch m := c.Method.(type) {
	case train.Averaging:
		return c.StatsFile != "" || m.Config.CollectTrainingStats
	case train.Sharing:
		return c.StatsFile != "" || m.Config.CollectTrainingStats
	}
	return c.StatsFile != ""
}
