package main

import (
	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/internal/usage"
)

func transformCommand() *cobra.Command {
	var s transform.Settings
	settings, on := dataFlags{}, engineFlags{}
	spec, right, mode, asJSON := "", "", "", false
	cmd := &cobra.Command{
		Use:   "transform --pipeline FILE --data SOURCE --output FILE",
		Short: "Run a table through a pipeline, into another table",
		Args:  arguments.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			steps := "pipeline"
			if s.Join != "" {
				steps = "right"
			}
			if err = arguments.Required(cmd, steps, "data", "output"); err != nil {
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
	out := newOutput(cmd, asJSON)
	w := newPlace(on, &dataFlags{}, out)
	defer w.Close()
	if on.Master != "" {
		s.Engine = w.Open
	} else if name, given := on.ClusterOnly(); given {
		return usagef("--%s goes with --master sc://…", name)
	}
	return transform.Show(cmd.Context(), out, s)
}
