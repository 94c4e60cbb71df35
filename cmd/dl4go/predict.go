package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

func predictCommand() *cobra.Command {
	f := &applyFlags{}
	table := tableFlags{}
	output := ""
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data SOURCE --output FILE.npy|FILE.csv|table:NAME",
		Short: "Write a model's outputs for data to a .npy or .csv file, or to a Spark table",
		Long: `Write the network's outputs for the data's examples, in their order, with the masks that saved DataSets have. A
.npy file has Deeplearning4j's shapes, examples first: [examples, classes], [examples, channels, height, width]. A .csv
file has a line for each example, without a header. Outputs of a network that was trained on normalized labels are
brought back to the labels' scale.

A table of Spark's has a row for each row of a query: the columns of --keys, prediction ARRAY<FLOAT> with the outputs in
row-major order, and, where the network's output is a softmax, class INT, the most likely one. It is written when all
outputs are there:

  dl4go predict --master sc://HOST:PORT --model model.zip --data 'sql:SELECT id, features FROM t' --keys id \
      --output table:predictions`,
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
			kind := strings.ToLower(filepath.Ext(output))
			if kind != ".npy" && kind != ".csv" {
				return usagef("--output %s: it must end in .npy or .csv, or be table:NAME", output)
			}
			a, err := f.open(cmd, false, func() error {
				if err := storage.CheckWritable(output); err != nil {
					return fmt.Errorf("--output: %w", err)
				}
				return nil
			})
			if err != nil {
				return err
			}
			defer a.close()
			return f.predict(cmd, a, output, kind)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&output, "output", "", "`FILE`.npy or .csv for the outputs, or table:NAME")
	f.query.addKeys(cmd.Flags())
	table.add(cmd.Flags())
	return cmd
}

// rowWriter takes outputs [batch, …].
type rowWriter interface {
	rows(*tensor.Dense) error
	close() error
}

func (f *applyFlags) predict(cmd *cobra.Command, a *applied, path, kind string) error {
	file, err := storage.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var w rowWriter = &npyWriter{out: file}
	if kind == ".csv" {
		w = &csvWriter{bufio.NewWriterSize(file, 64<<10)}
	}
	scaler, _ := a.net.normalizer.(*normalizer.Scaler)
	var shape tensor.Shape
	n, times := 0, a.net.OutputRows()[0]
	var apart []*data.MultiDataSet // outputs of several rows for each example, to be put together at the end
	err = a.counted("predict", func(done func(int)) error {
		return a.on.Predict(cmd.Context(), a.data, 0, func(outputs []*tensor.Dense) error {
			if scaler != nil {
				if err := scaler.RevertLabels(outputs, nil); err != nil {
					return err
				}
			}
			y := outputs[0]
			shape = y.Shape.Clone()
			n += y.Rows()
			done(y.Rows())
			if times > 1 {
				apart = append(apart, &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(y.Rows()/times, 1)}, Labels: []*tensor.Dense{y}})
				return nil
			}
			return w.rows(y)
		})
	})
	if err == nil && len(apart) > 0 {
		var whole *data.MultiDataSet
		if whole, err = data.Merge(apart); err == nil {
			err = w.rows(whole.Labels[0])
		}
	}
	if err == nil {
		err = a.some(n)
	}
	if err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	shape[0] = n
	a.out.line("wrote %s: outputs %v of %s, %s examples/s", path, shape, a.source.Info().Name,
		progress.Count(int64(float64(n)/time.Since(a.begin).Seconds())))
	return a.done(f.model, n, event{"output": path, "shape": shape})
}

// npyWriter writes a .npy file when it has seen the shape of a row.
type npyWriter struct {
	out *storage.Output
	w   *npy.Writer
}

func (n *npyWriter) rows(y *tensor.Dense) (err error) {
	if n.w == nil {
		if n.w, err = npy.NewWriter(n.out, y.Shape[1:]...); err != nil {
			return err
		}
	}
	return n.w.Rows(y)
}

func (n *npyWriter) close() error { return n.w.Close() }

// csvWriter writes a line for each row.
type csvWriter struct{ w *bufio.Writer }

func (c *csvWriter) rows(y *tensor.Dense) error {
	size := y.RowSize()
	var line []byte
	for i := range y.Rows() {
		line = line[:0]
		for k, v := range y.Data[i*size : (i+1)*size] {
			if k > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, float64(v), 'g', -1, 32)
		}
		if _, err := c.w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) close() error { return c.w.Flush() }
