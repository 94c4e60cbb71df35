package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/mlflow"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/tensorboard"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// mostRuns is the maximum number of runs in a comparison: more could not be distinguished in charts.
const mostRuns = 18

func reportCommand() *cobra.Command {
	to, title, asJSON := "", "", false
	tracker, experiment := "", ""
	cmd := &cobra.Command{
		Use:   "report FILE.json…",
		Short: "Draw a run's statistics as a page, or compare runs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > mostRuns {
				return usagef("dl4go report takes 1 to %d files of statistics, got %d: dl4go report --help shows how", mostRuns,
					len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if experiment != "" && tracker != toMLflow {
				return usagef("--experiment goes with --to %s", toMLflow)
			}
			if tracker != "" {
				return sendRuns(cmd, newOutput(cmd, asJSON), args, tracker, to, experiment)
			}
			if !cmd.Flags().Changed("output") {
				to = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ".html"
				if len(args) > 1 {
					to = "comparison.html"
				}
			}
			if err := stats.CheckEnding(to); err != nil {
				return usagef("--output: %w", err)
			}
			o := newOutput(cmd, asJSON)
			if len(args) > 1 {
				if !strings.EqualFold(filepath.Ext(to), ".html") {
					return usagef("--output %s: a comparison of runs is written as .html", to)
				}
				return compareRuns(cmd.Context(), o, args, to, title)
			}
			return report(cmd.Context(), o, args[0], to, title)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&to, "output", "o", "", "`FILE` .html, .csv or .json (default FILE.html)")
	fs.StringVar(&title, "title", "", "`TITLE` title of the page (default: the saved one)")
	fs.StringVar(&tracker, "to", "", "`WHAT` send runs to mlflow or tensorboard instead")
	fs.StringVar(&experiment, "experiment", "", "`NAME` mlflow: the experiment (default Default)")
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

// The values of --to.
const (
	toMLflow      = "mlflow"
	toTensorBoard = "tensorboard"
)

// sendRuns sends finished runs to a tracker: to MLflow what it lacks of them, or to new event files.
func sendRuns(cmd *cobra.Command, o *console.Output, from []string, to, dir, experiment string) error {
	to, err := usage.Choose("to", to, toMLflow, toTensorBoard)
	if err != nil {
		return err
	}
	var settings mlflow.Settings
	if to == toMLflow {
		if dir != "" {
			return usagef("--output is for pages and event files; it can't be given with --to %s", to)
		}
		if settings, err = mlflow.FromEnvironment(experiment, os.Getenv); err != nil {
			return usagef("--to %s: %w", to, err)
		}
	}
	for _, file := range from {
		r, err := stats.ReadFile(cmd.Context(), file)
		if err != nil {
			return err
		}
		place := settings.Experiment
		if to == toMLflow {
			err = mlflow.Send(cmd.Context(), settings, r)
		} else {
			place = strings.TrimSuffix(file, filepath.Ext(file))
			if dir != "" {
				place = storage.Join(dir, storage.Base(place))
			}
			err = tensorboard.Write(cmd.Context(), place, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		o.Line("sent %s of %s to %s %s", progress.Plural(len(r.Series), "figure"), file, to, place)
	}
	return o.Done(event{"from": from, "to": to})
}

func report(ctx context.Context, o *console.Output, from, to, title string) error {
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
		e["stats"] = trainlog.Phases(o, r.Events)
	}
	for _, h := range r.Hints() {
		o.Line("%s %s", o.Strong(h.Title), h.Text)
	}
	o.Line("wrote %s: %s and %s of %s", to, progress.Plural(len(r.Events), "event"),
		progress.Plural(len(r.Series), "figure"), from)
	return o.Done(e)
}

// compareRuns writes the page that compares several runs.
func compareRuns(ctx context.Context, o *console.Output, from []string, to, title string) error {
	if err := stats.CompareFiles(ctx, from, to, cmp.Or(title, "Comparison of runs")); err != nil {
		return err
	}
	o.Line("wrote %s: %s", to, progress.Plural(len(from), "run"))
	return o.Done(event{"from": from, "to": to, "runs": len(from)})
}
