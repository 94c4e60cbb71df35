package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/report"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/stats"
)

// reportFlags are the flags of dl4go report.
type reportFlags struct {
	output, title, to, experiment string
	json                          bool
}

func reportCommand() *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report FILE.json…",
		Short: "Draw a run's statistics as a page, or compare runs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > report.MostRuns {
				return usagef("dl4go report takes 1 to %d files of statistics, got %d: dl4go report --help shows how",
					report.MostRuns, len(args))
			}
			return nil
		},
		RunE: f.run,
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "`FILE` .html, .csv or .json (default FILE.html)")
	fs.StringVar(&f.title, "title", "", "`TITLE` title of the page (default: the saved one)")
	fs.StringVar(&f.to, "to", "", "`WHAT` send runs to mlflow or tensorboard instead")
	fs.StringVar(&f.experiment, "experiment", "", "`NAME` mlflow: the experiment (default Default)")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, args []string) error {
	ctx, o := cmd.Context(), newOutput(cmd, f.json)
	if f.experiment != "" && f.to != report.MLflow {
		return usagef("--experiment goes with --to %s", report.MLflow)
	}
	if f.to != "" {
		to, err := usage.Choose("to", f.to, report.MLflow, report.TensorBoard)
		if err != nil {
			return err
		}
		return report.Send(ctx, o, args, to, f.output, f.experiment)
	}
	if f.output == "" {
		f.output = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ".html"
		if len(args) > 1 {
			f.output = "comparison.html"
		}
	}
	if err := stats.CheckEnding(f.output); err != nil {
		return usagef("--output: %w", err)
	}
	if len(args) > 1 {
		return report.Compare(ctx, o, args, f.output, f.title)
	}
	return report.Draw(ctx, o, args[0], f.output, f.title)
}
