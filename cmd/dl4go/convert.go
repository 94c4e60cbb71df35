package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/modelfile"
)

func convertCommand() *cobra.Command {
	asJSON := false
	var save modelfile.ConvertOptions
	cmd := &cobra.Command{
		Use:   "convert OLD NEW",
		Short: "Rewrite a model of Keras or an older Deeplearning4j, or another file",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("dl4go convert takes two files, OLD and NEW, got %d: dl4go convert --help shows how", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o, from, to := newOutput(cmd, asJSON), args[0], args[1]
			kind, err := modelfile.Convert(cmd.Context(), from, to, save, func(notices []string) { o.Notices(from, notices) })
			if wrong := (*modelfile.FormError)(nil); errors.As(err, &wrong) {
				return &usageError{Err: err}
			}
			if err != nil {
				return err
			}
			o.Line("wrote %s: the %s of %s", to, kind, from)
			return o.Done(event{"from": from, "to": to, "kind": kind})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.Flags().BoolVar(&save.JavaYAML, "dl4j", false, "write Deeplearning4j's YAML, not the short form")
	cmd.Flags().BoolVar(&save.Rows, "rows", false, "parameters as a row, for 1.0.0-M2 and before")
	cmd.Flags().Var((*modelfile.Shapes)(&save.ONNX.InputShapes), "input-shape", "sizes of an input, as 3,32,32 (ONNX)")
	cmd.Flags().BoolVar(&save.ONNX.Masks, "masks", false, "inputs for the masks of sequences (ONNX)")
	cmd.Flags().BoolVar(&save.ONNX.NoNormalizer, "no-normalizer", false, "leave the normalizer out (ONNX)")
	cmd.Flags().StringSliceVar(&save.Outputs, "outputs", nil, "values that become the outputs (ONNX)")
	cmd.Flags().StringVar(&save.Like, "like", "", "a model that takes the parameters (safetensors)")
	return cmd
}
