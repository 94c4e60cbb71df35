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
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

func predictCommand() *cobra.Command {
	f := &applyFlags{}
	table := tableFlags{}
	output := ""
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data SOURCE --output FILE.npy|FILE.csv|FILE.jsonl|-|table:NAME",
		Short: "Write a model's outputs for data to a file, to standard output, or to a Spark table",
		Long: `Write the network's outputs for the data's examples, in their order, with the masks that saved DataSets have. Outputs of
a network that was trained on normalized labels are brought back to the labels' scale.

A .npy file has Deeplearning4j's shapes, examples first: [examples, classes], [examples, size, time], [examples, channels,
height, width]. A .csv file has a line for each example, without a header: its key, if it has one, and the outputs. A
.jsonl file has an object a line: {"key":"a17","class":1,"prediction":[0.1,0.9]}, with a class where the network's output
is a softmax; "predictions", by the outputs' names, where they are several. In other files, these go to a file each:
out.npy becomes out.NAME.npy.

Keys are the column that csv:FILE?key=COLUMN names, the metadata of saved DataSets, and the columns of a query that
--keys names; several columns are several of a .csv, and a list in JSON.

--output - writes to standard output as predictions are ready: lines as those of a .csv, or with --json as those of a
.jsonl. csv:, idx: and libsvm:FILE?features=N are read as streams, csv:- and libsvm:-?features=N from standard input, so that
their length does not matter:

  cat x.csv | dl4go predict --model model.zip --data 'csv:-?label=none' --output - | head

A table of Spark's has a row for each row of a query: the columns of --keys, prediction ARRAY<FLOAT> with the outputs in
row-major order (prediction_NAME where they are several), and, where the network's output is a softmax, class INT, the
most likely one. It is written when all outputs are there:

  dl4go predict --master sc://HOST:PORT --model model.zip --data 'sql:SELECT id, features FROM t' --keys id \
      --output table:predictions`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "model", "data", "output"); err != nil {
				return err
			}
			if name, ok := strings.CutPrefix(output, "table:"); ok {
				f.whole = true
				return f.predictTable(cmd, name, &table)
			}
			if err := table.unused(cmd); err != nil {
				return err
			}
			return f.predict(cmd, output)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&output, "output", "", "`FILE`.npy, .csv or .jsonl for the outputs, - for standard output, or table:NAME")
	f.query.addKeys(cmd.Flags())
	table.add(cmd.Flags())
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
	case kind == ".npy" && (len(f.query.Keys) > 0 || strings.HasPrefix(f.data, "csv:") && keyed(f.data)):
		return usagef("--output %s: a .npy file has no place for keys: write a .csv or a .jsonl file", output)
	}
	f.query.PartitionRows = streamed
	a, err := f.open(cmd, false, func(net *network, _ source.Info) error {
		names := net.outputNames()
		if f.piped && kind == ".csv" && len(names) > 1 {
			return usagef("--output -: the network has the outputs %s: --json writes them all, or name a file", strings.Join(names, ", "))
		}
		if f.piped {
			return nil
		}
		for _, path := range outputPaths(names, output, kind) {
			if err := storage.CheckWritable(path); err != nil {
				return fmt.Errorf("--output: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer a.close()
	w, err := a.newPredictionWriter(output, kind, len(f.query.Keys))
	if err != nil {
		return err
	}
	defer w.close()
	o := distributed.PredictOptions{}
	o.Revert, _ = a.net.normalizer.(*normalizer.Scaler)
	n := 0
	err = a.counted("predict", func(done func(int)) error {
		return a.predictions(cmd.Context(), o, func(key string, outputs []*tensor.Dense) error {
			n++
			done(1)
			return w.write(key, outputs)
		}, w.flush)
	})
	if err == nil {
		err = w.flush()
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
	if err := w.commit(); err != nil {
		return err
	}
	speed := progress.Count(int64(float64(n) / time.Since(a.begin).Seconds()))
	if f.piped {
		a.out.line("%s predictions for %s, %s examples/s", progress.Count(int64(n)), a.source.Info().Name, speed)
		return a.done(f.model, n, event{})
	}
	shapes := map[string]tensor.Shape{}
	for _, file := range w.files() {
		rows := n
		if file.apart != nil {
			rows *= file.times
		}
		shape := append(tensor.Shape{rows}, file.shape...)
		shapes[file.path] = shape
		a.out.line("wrote %s: outputs %v of %s, %s examples/s", file.path, shape, a.source.Info().Name, speed)
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
