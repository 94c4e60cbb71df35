package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/results"
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
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "model", "data", "output"); err != nil {
				return err
			}
			if name, ok := strings.CutPrefix(output, "table:"); ok {
				return f.predictTable(cmd, name, &table)
			}
			if err := table.unused(cmd); err != nil {
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
	case kind == ".npy" && f.settings.keys("data", f.data) != nil:
		return usagef("--output %s: a .npy file has no place for keys: write a .csv, .jsonl or .parquet file", output)
	}
	f.settings.PartitionRows = distributed.PieceRows
	a, err := f.open(cmd, false, func(net *modelfile.Opened, _ source.Info) error {
		names := results.Outputs(net.Network)
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
	})
	if err != nil {
		return err
	}
	defer a.close()
	keys := f.settings.keys("data", f.data)
	w := results.PipePredictions(a.net.Network, kind, keys, a.out.Data)
	if !f.piped {
		if w, err = results.CreatePredictions(cmd.Context(), a.net.Network, output, kind, keys); err != nil {
			return err
		}
	}
	defer w.Close()
	if p := f.settings.Preparation; p != nil {
		w.Named(p.Answer())
	}
	o := distributed.PredictOptions{}
	o.Revert, _ = a.net.Normalizer.(*normalizer.Scaler)
	n := 0
	err = a.counted("predict", func(done func(int)) error {
		return a.predictions(cmd.Context(), o, func(key string, outputs []*tensor.Dense) error {
			if err := f.checkOutputs(n, key, outputs); err != nil {
				return err
			}
			n++
			done(1)
			return w.Write(key, outputs)
		}, w.Flush)
	})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = a.some(n)
	}
	if err != nil && cmd.Context().Err() != nil && f.piped && n > 0 {
		return interruptedf("%s predictions had come", progress.Count(int64(n)))
	}
	if err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	speed := progress.Count(int64(float64(n) / time.Since(a.begin).Seconds()))
	if f.piped {
		a.out.Line("%s predictions for %s, %s examples/s", progress.Count(int64(n)), a.source.Info().Name, speed)
		return a.done(f.model, n, event{})
	}
	shapes := map[string]tensor.Shape{}
	for _, file := range w.Files() {
		shapes[file.Path] = file.Shape
		a.out.Line("wrote %s: outputs %v of %s, %s examples/s", file.Path, file.Shape, a.source.Info().Name, speed)
	}
	if len(shapes) > 1 {
		return a.done(f.model, n, event{"outputs": shapes})
	}
	return a.done(f.model, n, event{"output": output, "shape": shapes[output]})
}

// predictions calls each with the predictions of the source's examples, in order. It calls flush when the next one may
// take a while.
func (a *applied) predictions(ctx context.Context, o distributed.PredictOptions,
	each func(string, []*tensor.Dense) error, flush func() error) error {
	return a.eachPiece(ctx, func(d *distributed.Data) error {
		p, err := a.on.Predict(ctx, d, o)
		if err != nil {
			return err
		}
		defer p.Release()
		if err := p.Each(ctx, each); err != nil {
			return err
		}
		return flush()
	})
}
