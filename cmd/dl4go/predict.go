package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
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
		Long: `Write a model's outputs for data, in the data's order.

  dl4go predict --model model.zip --data csv:new.csv?label=none --output out.csv
  cat new.csv | dl4go predict --model model.zip --data 'csv:-?label=none' --output -
  dl4go predict --master sc://HOST --model model.zip --data 'sql:SELECT id, x FROM t' \
      --keys id --output table:predictions`,
		Annotations: map[string]string{more: `Formats of --output:
  FILE.npy     Deeplearning4j's shapes, examples first: [examples, classes], [examples, size, time] or
               [examples, channels, height, width]
  FILE.csv     one line per example and no header: the key, if there is one, then the outputs
  FILE.jsonl   one object per line: {"key":"a17","class":1,"prediction":[0.1,0.9]}. Only a softmax output has a class.
               A network with several outputs has "predictions", by name
  -            standard output, as predictions are ready: lines of .csv, or of .jsonl with --json
  table:NAME   a Spark table with a row for each row of a query: the columns of --keys, prediction ARRAY<FLOAT> in row-major
               order, and class INT for a softmax. It appears when all outputs are there
A network with several outputs writes out.NAME.npy for each, and columns prediction_NAME in a table.

Keys are the column of csv:FILE?key=COLUMN, the metadata of saved DataSets, or the columns of --keys. Several columns become
several columns of a .csv file, or a list in JSON.

Outputs of a network that was trained on normalized labels are brought back to the labels' scale. An output that is NaN or
infinite is an error that names the example, unless --allow-nan is given.

Memory does not grow with the data for csv:, idx:, libsvm:FILE?features=N, queries and standard input.`},
		Args: noArguments,
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
	cmd.Flags().StringVar(&output, "output", "", "`FILE` .npy, .csv, .jsonl, - or table:NAME")
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
	case kind != ".npy" && kind != ".csv" && kind != ".jsonl":
		return usagef("--output %s: it must end in .npy, .csv or .jsonl, be - for standard output, or be table:NAME", output)
	case kind == ".npy" && f.settings.keys("data", f.data) != nil:
		return usagef("--output %s: a .npy file has no place for keys: write a .csv or a .jsonl file", output)
	}
	f.settings.PartitionRows = distributed.PieceRows
	a, err := f.open(cmd, false, func(net *network, _ source.Info) error {
		names := results.Outputs(net.Network)
		if f.piped && kind == ".csv" && len(names) > 1 {
			return usagef("--output -: the network has the outputs %s: --json writes them all, or name a file", strings.Join(names, ", "))
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
	w := results.PipePredictions(a.net.Network, kind, a.keyColumns(), a.out.data)
	if !f.piped {
		if w, err = results.CreatePredictions(cmd.Context(), a.net.Network, output, kind, a.keyColumns()); err != nil {
			return err
		}
	}
	defer w.Close()
	o := distributed.PredictOptions{}
	o.Revert, _ = a.net.normalizer.(*normalizer.Scaler)
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
		a.out.line("%s predictions for %s, %s examples/s", progress.Count(int64(n)), a.source.Info().Name, speed)
		return a.done(f.model, n, event{})
	}
	shapes := map[string]tensor.Shape{}
	for _, file := range w.Files() {
		shapes[file.Path] = file.Shape
		a.out.line("wrote %s: outputs %v of %s, %s examples/s", file.Path, file.Shape, a.source.Info().Name, speed)
	}
	if len(shapes) > 1 {
		return a.done(f.model, n, event{"outputs": shapes})
	}
	return a.done(f.model, n, event{"output": output, "shape": shapes[output]})
}

// predictions visits those of the source's examples, in order. flush is called when there may be a while to the next one.
func (a *applied) predictions(ctx context.Context, o distributed.PredictOptions, each func(string, []*tensor.Dense) error, flush func() error) error {
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
