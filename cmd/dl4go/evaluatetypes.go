package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/storage"
)

// typeFlags say what evaluate measures, and where it saves and draws it.
type typeFlags struct {
	types      []string
	steps, top int
	files      measure.Files
}

// maxThresholdSteps is the maximum in an evaluation's file.
const maxThresholdSteps = 1 << 20

func (f *typeFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.types, "types", nil, "`LIST` evaluations, separated by commas")
	fs.IntVar(&f.steps, "threshold-steps", 0, "`N` steps of the ROC's threshold (default 0: exact)")
	fs.IntVar(&f.top, "top", 1, "`N` count a class among the N most likely")
	fs.StringVar(&f.files.Save, "save", "", "`FILE` write the evaluation as Deeplearning4j's JSON")
	fs.StringVar(&f.files.Page, "html", "", "`FILE` draw charts and the hardest examples on a page")
}

func (f *typeFlags) check(cmd *cobra.Command) error {
	if err := positive(cmd, "top"); err != nil {
		return err
	}
	if f.steps < 0 || f.steps > maxThresholdSteps {
		return usagef("--threshold-steps %d: it must be from 0 to %d", f.steps, maxThresholdSteps)
	}
	if err := measure.CheckTypes(f.types); err != nil {
		return usagef("--types: %w", err)
	}
	return nil
}

// writable checks that the files can be written.
func (f *typeFlags) writable(ctx context.Context, all []*measure.Output) error {
	for _, m := range all {
		if path := f.files.PageOf(m); path != "" {
			if err := storage.CheckWritable(ctx, path); err != nil {
				return fmt.Errorf("--html: %w", err)
			}
		}
		for _, path := range f.files.SavesOf(m) {
			if err := storage.CheckWritable(ctx, path); err != nil {
				return fmt.Errorf("--save: %w", err)
			}
		}
	}
	return nil
}

// settings returns the settings of the types.
func (f *typeFlags) settings() measure.Settings { return measure.Settings{Steps: f.steps, Top: f.top} }
