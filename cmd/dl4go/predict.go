package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

func predictCommand() *cobra.Command {
	f := &applyFlags{}
	table := tableFlags{}
	output := ""
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data SOURCE --output FILE",
		Short: "Write a model's outputs to a file, standard output or a Spark table",
		Args:  arguments.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := arguments.Required(cmd, "model", "data", "output"); err != nil {
				return err
			}
			if name, ok := strings.CutPrefix(output, "table:"); ok {
				return f.predictTable(cmd, name, &table)
			}
			if err := usage.GoesWith(cmd.Flags().Changed, "--output table:NAME", "mode", "format"); err != nil {
				return err
			}
			return f.predict(cmd, output)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&output, "output", "", "`FILE` .npy, .csv, .jsonl, .parquet, - or table:NAME")
	f.addAllowNaN(cmd.Flags())
	table.add(cmd.Flags())
	f.settings.add(cmd.Flags())
	return cmd
}

func (f *applyFlags) predict(cmd *cobra.Command, output string) error {
	kind := strings.ToLower(filepath.Ext(output))
	switch {
	case output == "-":
		if kind = ".csv"; f.json {
			kind = ".jsonl"
		}
		f.piped = true
	case !slices.Contains(results.Kinds, kind):
		return usagef("--output %s: it must end in %s, be - for standard output, or be table:NAME", output,
			strings.Join(results.Kinds, ", "))
	case kind == ".npy" && f.settings.Keys("data", f.Data) != nil:
		return usagef("--output %s: a .npy file has no place for keys: write a .csv, .jsonl or .parquet file", output)
	}
	f.settings.PartitionRows = distributed.PieceRows
	a, err := f.open(cmd, apply.Want{Before: func(net *modelfile.Opened, _ source.Info) error {
		return f.fits(cmd, results.Outputs(net.Network), output, kind)
	}})
	if err != nil {
		return err
	}
	defer a.Close()
	w := results.PipePredictions(a.Network.Network, kind, a.Keys(), a.Out.Data)
	if !f.piped {
		if w, err = results.CreatePredictions(cmd.Context(), a.Network.Network, output, kind, a.Keys()); err != nil {
			return err
		}
	}
	defer w.Close()
	n, err := a.Predict(cmd.Context(), w)
	if err != nil && cmd.Context().Err() != nil && f.piped && n > 0 {
		return interruptedf("%s predictions had come", progress.Count(int64(n)))
	}
	if err != nil {
		return err
	}
	return f.wrote(a, w, output, n)
}

// fits checks that predictions of the named outputs can be written.
func (f *applyFlags) fits(cmd *cobra.Command, names []string, output, kind string) error {
	if f.piped && kind == ".csv" && len(names) > 1 {
		return usagef("--output -: the network has the outputs %s: --json writes them all, or name a file",
			strings.Join(names, ", "))
	}
	if f.piped {
		return nil
	}
	for _, path := range results.Paths(names, output, kind) {
		if err := storage.CheckWritable(cmd.Context(), path); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	return nil
}

// wrote shows the result.
func (f *applyFlags) wrote(a *apply.Applied, w *results.Predictions, output string, n int) error {
	speed := a.Speed(n)
	if f.piped {
		a.Out.Line("%s predictions for %s, %s examples/s", progress.Count(int64(n)), a.Name(), speed)
		return a.Done(n, event{})
	}
	shapes := map[string]tensor.Shape{}
	for _, file := range w.Files() {
		shapes[file.Path] = file.Shape
		a.Out.Line("wrote %s: outputs %v of %s, %s examples/s", file.Path, file.Shape, a.Name(), speed)
	}
	if len(shapes) > 1 {
		return a.Done(n, event{"outputs": shapes})
	}
	return a.Done(n, event{"output": output, "shape": shapes[output]})
}
