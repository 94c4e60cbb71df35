package main

import (
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/material"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// prepareFlags say how the columns and the rows of data are prepared.
type prepareFlags struct {
	columns        *material.Columns
	missing, split string
}

// prepareNames are the names of these flags.
var prepareNames = []string{"pipeline", "no-pipeline", "missing", "max-categories", "embed", "text", "drop",
	"split", "sample"}

// proposalWords are the command line's words for the options of a proposed pipeline.
var proposalWords = map[string]string{"Missing": "--missing", "MaxCategories": "--max-categories", "Embed": "--embed",
	"Text": "--text", "Drop": "--drop", "Label": "--label", "Classes": "--classes", "Regression": "--regression",
	"Names": "--names", "Memory": "--memory"}

func (f *prepareFlags) add(fs *pflag.FlagSet, c *material.Columns) {
	f.columns = c
	p := &c.Settings.Proposal
	p.Words = proposalWords
	fs.StringVar(&c.Pipeline, "pipeline", "", "`FILE` steps from raw columns to features")
	fs.BoolVar(&c.None, "no-pipeline", false, "take numbers as they are")
	fs.StringVar(&f.missing, "missing", "median", "`HOW` gaps: median, mean, drop or error")
	fs.IntVar(&p.MaxCategories, "max-categories", 0, "`N` values of a column with a feature each")
	embedFlag(fs, &p.Embed)
	fs.StringVar(&p.Text, "text", "", "`HOW` free text: hash:N features, or drop (default: error)")
	fs.StringSliceVar(&p.Drop, "drop", nil, "`COLUMNS` to leave out")
	fs.StringVar(&f.split, "split", "", "`SHARE` train on it, hold the rest out: 0.8[:stratified]")
	fs.IntVar(&c.Settings.Sample, "sample", 0, "`N` rows drawn by chance, for a quick look")
}

func embedFlag(fs *pflag.FlagSet, to *analysis.Embed) {
	f := fs.VarPF(prepare.EmbedFlag{Of: to}, "embed", "", "`[=COLUMNS]` built-in: vectors of categories, not one-hot")
	f.NoOptDefVal = prepare.EveryColumn
}

// check reads the flags.
func (f *prepareFlags) check(given func(string) bool, test string) (err error) {
	c, s := f.columns, &f.columns.Settings
	switch {
	case c.Pipeline != "" && c.None:
		return usagef("--pipeline and --no-pipeline can't be given together")
	case given("split") && test != "" && test != "none":
		return usagef("--split and --test can't be given together: both say what is held out")
	case given("sample") && s.Sample < 1:
		return usagef("--sample %d: at least 1 row is needed", s.Sample)
	case given("max-categories") && s.Proposal.MaxCategories < 1:
		return usagef("--max-categories %d: at least 1 is needed", s.Proposal.MaxCategories)
	}
	for _, name := range []string{"missing", "max-categories", "text", "drop"} {
		if given(name) && (c.Pipeline != "" || c.None) {
			return usagef("--%s is for the pipeline that dl4go proposes: leave out --pipeline and --no-pipeline", name)
		}
	}
	for _, name := range []string{"split", "sample", "missing", "max-categories", "embed", "text", "drop"} {
		if given(name) {
			c.Given = append(c.Given, name)
		}
	}
	missing, err := usage.Choose("missing", f.missing, "median", "mean", "drop", "error")
	if err != nil {
		return err
	}
	s.Proposal.Missing = analysis.Missing(missing)
	if given("split") {
		if s.Split, err = prepare.ParseSplit(f.split); err != nil {
			return usagef("--split %w", err)
		}
	}
	return nil
}
