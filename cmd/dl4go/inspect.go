package main

import (
	"maps"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/inspect"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

func inspectCommand() *cobra.Command {
	var s inspect.Settings
	settings := dataFlags{}
	spec, missing, asJSON := "", "", false
	cmd := &cobra.Command{
		Use:   "inspect --data SOURCE",
		Short: "Look at a table's columns and propose a pipeline",
		Args:  arguments.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err = arguments.Required(cmd, "data"); err != nil {
				return err
			}
			if err = settings.Check(spec); err != nil {
				return err
			}
			if s.Data, err = settings.Name("data", spec); err != nil {
				return err
			}
			s.Data, s.Bad = s.Data.TakeBadRows("fail")
			s.Proposal.Missing, s.Proposal.Words = analysis.Missing(missing), maps.Clone(proposalWords)
			s.Proposal.Words["Classes"] = "--names"
			return inspect.Show(cmd.Context(), newOutput(cmd, asJSON), s)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&spec, "data", "", "`SOURCE` table")
	fs.StringSliceVar(&s.Proposal.Label, "label", nil, "`COLUMNS` to learn")
	fs.StringVar(&s.HTML, "html", "", "`FILE` a page of all columns")
	fs.StringVar(&s.Output, "output", "", "`FILE` .json or .yaml, the proposed pipeline")
	fs.StringVar(&missing, "missing", "median", "`HOW` gaps: median, mean, drop or error")
	fs.StringSliceVar(&s.Missing, "missing-values", nil, "`TEXTS` that are gaps (default: NA, ?, null, …)")
	fs.IntVar(&s.Proposal.MaxCategories, "max-categories", 0, "`N` values of a column with a feature each (default 20)")
	embedFlag(fs, &s.Proposal.Embed)
	fs.StringVar(&s.Proposal.Text, "text", "", "`HOW` free text: hash:N features, or drop")
	fs.StringSliceVar(&s.Proposal.Drop, "drop", nil, "`COLUMNS` to leave out")
	fs.StringSliceVar(&s.Proposal.Classes, "names", nil, "`LIST` the label's classes, in their order")
	fs.BoolVar(&s.Proposal.Regression, "regression", false, "the labels are numbers, not classes")
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	settings.addRaw(fs)
	return cmd
}
