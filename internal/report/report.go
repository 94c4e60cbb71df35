// Package report shows finished runs by their files of statistics: it draws one, compares several, and sends them to
// trackers. Errors name flags.
package report

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/mlflow"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/tensorboard"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

type event = console.Event

// MostRuns is the maximum number of runs in a comparison: more could not be distinguished in charts.
const MostRuns = 18

// Draw writes the statistics of a run to a file of the kind that its name has, and shows a summary. An empty title
// stands for the run's own.
func Draw(ctx context.Context, o *console.Output, from, to, title string) error {
	r, err := stats.ReadFile(ctx, from)
	if err != nil {
		return err
	}
	r.Title = cmp.Or(title, r.Title, "Training statistics of "+strings.TrimSuffix(filepath.Base(from), filepath.Ext(from)))
	if err := r.Export(ctx, to); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	e := event{"from": from, "to": to, "events": len(r.Events), "series": len(r.Series)}
	if len(r.Events) > 0 {
		e["stats"] = trainlog.Phases(o, r.Events, true)
	}
	for _, h := range r.Hints() {
		o.Line("%s %s", o.Strong(h.Title), h.Text)
	}
	o.Line("wrote %s: %s and %s of %s", to, progress.Plural(len(r.Events), "event"),
		progress.Plural(len(r.Series), "figure"), from)
	return o.Done(e)
}

// Compare writes a page that compares several runs.
func Compare(ctx context.Context, o *console.Output, from []string, to, title string) error {
	if !strings.EqualFold(filepath.Ext(to), ".html") {
		return usage.Errorf("--output %s: a comparison of runs is written as .html", to)
	}
	if err := stats.CompareFiles(ctx, from, to, cmp.Or(title, "Comparison of runs")); err != nil {
		return err
	}
	o.Line("wrote %s: %s", to, progress.Plural(len(from), "run"))
	return o.Done(event{"from": from, "to": to, "runs": len(from)})
}

// The trackers that runs are sent to.
const (
	MLflow      = "mlflow"
	TensorBoard = "tensorboard"
)

// Send sends runs to a tracker: to an experiment of MLflow what it lacks of them, or to new event files. These are
// beside the files of the runs, or in dir unless it is empty.
func Send(ctx context.Context, o *console.Output, from []string, to, dir, experiment string) error {
	var settings mlflow.Settings
	if to == MLflow {
		if dir != "" {
			return usage.Errorf("--output is for pages and event files; it can't be given with --to %s", to)
		}
		var err error
		if settings, err = mlflow.FromEnvironment(experiment, os.Getenv); err != nil {
			return usage.Errorf("--to %s: %w", to, err)
		}
	}
	for _, file := range from {
		r, err := stats.ReadFile(ctx, file)
		if err != nil {
			return err
		}
		place := settings.Experiment
		if to == MLflow {
			err = mlflow.Send(ctx, settings, r)
		} else {
			place = strings.TrimSuffix(file, filepath.Ext(file))
			if dir != "" {
				place = storage.Join(dir, storage.Base(place))
			}
			err = tensorboard.Write(ctx, place, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		o.Line("sent %s of %s to %s %s", progress.Plural(len(r.Series), "figure"), file, to, place)
	}
	return o.Done(event{"from": from, "to": to})
}
