package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/stats"
)

// mostRuns bounds the runs of a comparison, whose charts could not tell more apart.
const mostRuns = 18

func reportCommand() *cobra.Command {
	to, title, asJSON := "", "", false
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
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
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

// compareRuns writes the page of several runs.
func compareRuns(ctx context.Context, o *console.Output, from []string, to, title string) error {
	if err := stats.CompareFiles(ctx, from, to, cmp.Or(title, "Comparison of runs")); err != nil {
		return err
	}
	o.Line("wrote %s: %s", to, progress.Plural(len(from), "run"))
	return o.Done(event{"from": from, "to": to, "runs": len(from)})
}
