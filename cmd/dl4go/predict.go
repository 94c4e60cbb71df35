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
	"github.com/dl4go/dl4go/nn"
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
.npy file has Deeplearning4j's shapes, examples first: [examples, classes], [examples, size, time], [examples, channels,
height, width]. A .csv file has a line for each example, without a header. A network with several outputs writes a file
for each: out.npy becomes out.NAME.npy. Outputs of a network that was trained on normalized labels are brought back to
the labels' scale.

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
			a, err := f.open(cmd, false, func(net *network) error {
				for _, path := range outputPaths(net, output) {
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
			return f.predict(cmd, a, output, kind)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&output, "output", "", "`FILE`.npy or .csv for the outputs, or table:NAME")
	f.query.addKeys(cmd.Flags())
	table.add(cmd.Flags())
	return cmd
}

// outputFile is a file for one of the network's outputs.
type outputFile struct {
	path  string
	file  *storage.Output
	w     rowWriter
	shape tensor.Shape // of all rows

	times int                  // rows of an example
	apart []*data.MultiDataSet // where these are several, what came, to be put together at the end
}

// rowWriter takes outputs [batch, …].
type rowWriter interface {
	rows(*tensor.Dense) error
	close() error
}

func createOutput(path, kind string) (*outputFile, error) {
	file, err := storage.Create(path)
	if err != nil {
		return nil, err
	}
	if kind == ".csv" {
		return &outputFile{path: path, file: file, w: &csvWriter{bufio.NewWriterSize(file, 64<<10)}}, nil
	}
	return &outputFile{path: path, file: file, w: &npyWriter{out: file}}, nil
}

func (o *outputFile) rows(y *tensor.Dense) error {
	if o.times > 1 {
		o.apart = append(o.apart, &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(y.Rows()/o.times, 1)}, Labels: []*tensor.Dense{y}})
		return nil
	}
	n := y.Rows()
	if o.shape != nil {
		n += o.shape[0]
	}
	o.shape = y.Shape.Clone()
	o.shape[0] = n
	return o.w.rows(y)
}

func (o *outputFile) commit() error {
	if len(o.apart) > 0 {
		whole, err := data.Merge(o.apart)
		if err == nil {
			o.times = 1
			err = o.rows(whole.Labels[0])
		}
		if err != nil {
			return err
		}
	}
	if err := o.w.close(); err != nil {
		return err
	}
	return o.file.Commit()
}

// outputPaths are the files of a network's outputs: path, or where there are several, one with each output's name.
func outputPaths(net *network, path string) []string {
	g, ok := net.Network.(*nn.Graph)
	if !ok || len(g.Config().Outputs) == 1 {
		return []string{path}
	}
	var paths []string
	ext := filepath.Ext(path)
	for _, name := range g.Config().Outputs {
		paths = append(paths, strings.TrimSuffix(path, ext)+"."+name+ext)
	}
	return paths
}

func (f *applyFlags) predict(cmd *cobra.Command, a *applied, path, kind string) error {
	var files []*outputFile
	for i, path := range outputPaths(a.net, path) {
		o, err := createOutput(path, kind)
		if err != nil {
			return err
		}
		o.times = a.net.OutputRows()[i]
		defer o.file.Close()
		files = append(files, o)
	}
	scaler, _ := a.net.normalizer.(*normalizer.Scaler)
	n := 0
	err := a.counted("predict", func(done func(int)) error {
		return a.on.Predict(cmd.Context(), a.data, 0, func(outputs []*tensor.Dense) error {
			if scaler != nil {
				if err := scaler.RevertLabels(outputs, nil); err != nil {
					return err
				}
			}
			for i, y := range outputs {
				if err := files[i].rows(y); err != nil {
					return err
				}
			}
			rows := outputs[0].Rows() / files[0].times
			n += rows
			done(rows)
			return nil
		})
	})
	if err == nil {
		err = a.some(n)
	}
	if err != nil {
		return err
	}
	shapes := map[string]tensor.Shape{}
	for _, o := range files {
		if err := o.commit(); err != nil {
			return err
		}
		shapes[o.path] = o.shape
		a.out.line("wrote %s: outputs %v of %s, %s examples/s", o.path, o.shape, a.source.Info().Name,
			progress.Count(int64(float64(n)/time.Since(a.begin).Seconds())))
	}
	if len(files) > 1 {
		return a.done(f.model, n, event{"outputs": shapes})
	}
	return a.done(f.model, n, event{"output": path, "shape": files[0].shape})
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
