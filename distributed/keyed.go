package distributed

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// Keys are the columns that go along with each example of a query: see QueryOptions.
func (d *Data) Keys() []engine.Column { return slices.Clone(d.keys) }

// TableOptions say how PredictToTable writes. The zero value has the defaults.
type TableOptions struct {
	// Mode says what happens where the table exists already: by default it is an error.
	Mode engine.WriteMode
	// Format is that of a new table, such as parquet or delta: the server's default if empty.
	Format string
	// Prediction names the column of outputs, an array<float> with the output's numbers in row-major order: prediction.
	Prediction string
	// Class, if not empty, names a column, an int, for the index of the largest output.
	Class string
	// Labels, if not nil, is a normalizer whose statistics of labels bring the outputs back to their scale.
	Labels *normalizer.Scaler
	// Batch is the number of examples that go through the network at once: that of Options if 0.
	Batch int
}

// PredictToTable writes the network's outputs for data that has keys to a table: the columns of the keys, with their
// names and types, then those of TableOptions. Each example has one row, exactly. It tells how many there are.
//
// All outputs are computed and verified before anything is written, so that a mistake in the data or a failure leaves
// the table as it was; see engine.Tables about what a failure while it is written may leave.
func (m *Network[N]) PredictToTable(ctx context.Context, d *Data, table string, o TableOptions) (int64, error) {
	tables, err := engine.TablesOf(m.engine)
	if err != nil {
		return 0, err
	}
	if len(d.keys) == 0 {
		return 0, fmt.Errorf("the data has no keys: without them, nobody could tell which row of the table %s is about what; "+
			"name columns of the query as keys", table)
	}
	w, conf, err := o.write(table, d)
	if err != nil {
		return 0, err
	}
	if err := tables.CheckTable(ctx, w); err != nil {
		return 0, err
	}
	a, release, err := m.broadcast(ctx, o.Batch)
	if err != nil {
		return 0, err
	}
	defer release()
	conf.applied = a
	return tables.WriteTable(ctx, d.rows.Map(predictKeyed.With(conf)), w)
}

func (o TableOptions) write(table string, d *Data) (w engine.TableWrite, conf keyedConfig, err error) {
	if o.Prediction == "" {
		o.Prediction = "prediction"
	}
	w = engine.TableWrite{Table: table, Mode: o.Mode, Format: o.Format,
		Columns: append(slices.Clone(d.keys), engine.Column{Name: o.Prediction, Type: "array<float>"})}
	if o.Class != "" {
		w.Columns = append(w.Columns, engine.Column{Name: o.Class, Type: "int"})
		conf.Class = true
	}
	if o.Labels != nil {
		var b bytes.Buffer
		err = normalizer.Write(&b, o.Labels)
		conf.Labels = b.Bytes()
	}
	return w, conf, err
}

type keyedConfig struct {
	applied
	Class  bool
	Labels []byte // normalizer.bin
}

// predictKeyed makes rows of cells: the keys, which are an example's Meta, the output, and the class.
var predictKeyed = engine.Register("distributed.predictKeyed",
	func(t *engine.Task, conf keyedConfig, in engine.Rows, out engine.Writer) error {
		var labels *normalizer.Scaler
		if conf.Labels != nil {
			n, err := normalizer.Read(bytes.NewReader(conf.Labels), int64(len(conf.Labels)))
			if err != nil {
				return engine.Permanent(err)
			}
			labels, _ = n.(*normalizer.Scaler)
		}
		checked := false
		return conf.minibatches(t, in, func(net nn.Network, m *data.MultiDataSet) error {
			if m.Meta == nil {
				return engine.Permanent(fmt.Errorf("the examples have no keys"))
			}
			m.Labels, m.LabelMasks = nil, nil
			if !checked {
				if err := net.Check(m); err != nil {
					return engine.Permanent(err)
				}
			}
			checked = true
			outputs, err := net.Output(m, false)
			if err == nil && labels != nil {
				err = labels.RevertLabels(outputs, nil)
			}
			if err != nil {
				return engine.Permanent(err)
			}
			y := outputs[0]
			size := y.RowSize()
			for i, key := range m.Meta {
				numbers := y.Data[i*size : (i+1)*size]
				row := engine.AppendNumbers([]byte(key), []int{size}, numbers)
				if conf.Class {
					row = engine.AppendNumbers(row, nil, []float32{float32(largest(numbers))})
				}
				if err := out.Write(engine.Unindexed(row)); err != nil {
					return err
				}
			}
			return nil
		})
	})

// largest is the place of the largest number, the first one of equals.
func largest(numbers []float32) int {
	best := 0
	for i, x := range numbers {
		if x > numbers[best] {
			best = i
		}
	}
	return best
}
