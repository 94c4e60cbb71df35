package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
)

func convertCommand() *cobra.Command {
	asJSON := false
	var save modelfile.ConvertOptions
	var shapes []string
	cmd := &cobra.Command{
		Use:   "convert OLD NEW",
		Short: "Rewrite a network or a file of an older Deeplearning4j",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("dl4go convert takes two files, OLD and NEW, got %d: dl4go convert --help shows how", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if save.ONNX.InputShapes, err = modelfile.Shapes(shapes); err != nil {
				return usagef("--input-shape: %w", err)
			}
			return convert(cmd.Context(), newOutput(cmd, asJSON), args[0], args[1], save)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.Flags().BoolVar(&save.JavaYAML, "dl4j", false, "write Deeplearning4j's YAML, not the short form")
	cmd.Flags().BoolVar(&save.Rows, "rows", false, "parameters as a row, for 1.0.0-M2 and before")
	cmd.Flags().StringArrayVar(&shapes, "input-shape", nil, "ONNX: sizes of one example, such as 3,32,32; once for each input")
	cmd.Flags().BoolVar(&save.ONNX.Masks, "masks", false, "ONNX: inputs for the masks of sequences")
	cmd.Flags().BoolVar(&save.ONNX.NoNormalizer, "no-normalizer", false, "ONNX: leave the normalizer out")
	cmd.Flags().StringSliceVar(&save.Outputs, "outputs", nil, "ONNX: names of the values that become outputs")
	cmd.Flags().StringVar(&save.Like, "like", "", "model or configuration for a safetensors file's parameters")
	return cmd
}

func convert(ctx context.Context, o *console.Output, from, to string, save modelfile.ConvertOptions) error {
	if !modelfile.Exchanged(to) {
		if err := ours("NEW", to); err != nil {
			return err
		}
	}
	kind, err := modelfile.Convert(ctx, from, to, save, func(notices []string) { o.Notices(from, notices) })
	if wrong := (*modelfile.FormError)(nil); errors.As(err, &wrong) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	o.Line("wrote %s: the %s of %s", to, kind, from)
	return o.Done(event{"from": from, "to": to, "kind": kind})
}
