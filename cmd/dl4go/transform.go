package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/workplace"
)

func transformCommand() *cobra.Command {
	var s transform.Settings
	settings, on := dataFlags{}, engineFlags{}
	spec, right, mode, asJSON := "", "", "", false
	cmd := &cobra.Command{
		Use:   "transform --pipeline FILE --data SOURCE --output FILE",
		Short: "Run a table through a pipeline, into another table",
		Args:  usage.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			steps := "pipeline"
			if s.Join != "" {
				steps = "right"
			}
			if err = usage.Required(cmd, steps, "data", "output"); err != nil {
				return err
			}
			if err = settings.Check(spec); err != nil {
				return err
			}
			if s.Data, err = settings.Name("data", spec); err != nil {
				return err
			}
			s.Data, s.Bad = s.Data.TakeBadRows("ragged")
			if right != "" {
				if s.Right, err = settings.Name("right", right); err != nil {
					return err
				}
			}
			if cmd.Flags().Changed("mode") {
				if s.Mode, err = usage.Choose("mode", mode, engine.ErrorIfExists, engine.Append, engine.Overwrite); err != nil {
					return err
				}
			}
			return runTransform(cmd, s, &on, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&s.Pipeline, "pipeline", "", "`FILE` pipeline, DataVec's JSON or YAML")
	fs.StringVar(&spec, "data", "", "`SOURCE` table")
	fs.StringVar(&s.Join, "join", "", "`FILE` join with --right, before the pipeline")
	fs.StringVar(&right, "right", "", "`SOURCE` right table of the join")
	fs.StringVar(&s.Output, "output", "", "`FILE` .csv, .jsonl, .parquet, - or table:NAME")
	fs.StringVar(&s.Format, "format", "", "`FORMAT` of standard output (csv, jsonl), or of a table")
	fs.StringVar(&mode, "mode", string(engine.ErrorIfExists), "`MODE` table exists: error (default), append, overwrite")
	fs.BoolVar(&s.Arrays, "arrays", false, "JSON lines of arrays, not of objects")
	fs.BoolVar(&s.NoHeader, "no-header", false, "CSV without the columns' names")
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	on.addMaster(fs, "")
	on.addCluster(fs)
	settings.addRaw(fs)
	return cmd
}

// runTransform runs a pipeline and shows the result.
func runTransform(cmd *cobra.Command, s transform.Settings, on *engineFlags, asJSON bool) error {
	out, begin := newOutput(cmd, asJSON), time.Now()
	w := &workplace.Place{Engine: &on.Engine, Out: out}
	defer w.Close()
	if on.Master != "" {
		s.Engine = w.Open
	} else if name, given := on.ClusterOnly(); given {
		return usagef("--%s goes with --master sc://…", name)
	}
	if s.Output == "-" {
		out.Pipe()
	}
	s.Pipe = out.Data
	s.Progress = func(rows int) { out.Bar().Add(int64(rows), "") }
	s.Unused = func(columns []string) {
		out.Warn("--data: the pipeline has no column %s; ignored", strings.Join(columns, ", "))
	}
	out.Start("transform", 0)
	sum, err := transform.Run(cmd.Context(), s)
	out.Stop()
	var setting *transform.SettingError
	var spec *source.SpecError
	var mismatch *source.MismatchError
	var exists *engine.TableExistsError
	switch {
	case errors.As(err, &setting) && setting.Flag != "pipeline":
		return &usageError{Err: err}
	case errors.As(err, &exists):
		return fmt.Errorf("--output %s: the table exists already; add --mode append or --mode overwrite, or name another "+
			"one", s.Output)
	case errors.As(err, &spec):
		return usagef("--data: %w", err)
	case errors.As(err, &mismatch):
		return fmt.Errorf("--data: %w", err)
	case err != nil:
		return err
	}
	for _, notice := range sum.Notices(s.Bad) {
		out.Warn("%s", notice)
	}
	seconds := time.Since(begin).Seconds()
	text := "%s rows of %s, %s rows/s"
	if s.Output != "-" {
		text = "wrote " + strings.ReplaceAll(s.Output, "%", "%%") + ": " + text
	}
	out.Line(text, progress.Count(int64(sum.Out)), s.Data, progress.Count(int64(float64(sum.In)/seconds)))
	return out.Done(event{"output": s.Output, "rowsIn": sum.In, "rowsOut": sum.Out, "rowsSkipped": sum.Skipped,
		"seconds": seconds})
}
