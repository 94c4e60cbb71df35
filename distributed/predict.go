package distributed

import (
	"bytes"
	"context"
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// Predictions are a network's outputs for the examples of a data set, an array for each output layer: [1, …] or, for a
// network that makes several rows for an example (see nn.Network.OutputRows), [1, rows, …].
type Predictions = Results[[]*tensor.Dense]

// PredictOptions are settings of [Network.Predict]. The zero value has the defaults.
type PredictOptions struct {
	// Batch is the number of examples that go through the network at once: Options.Batch if 0. It is rounded down to a
	// power of two, at most 1024. No output depends on it.
	Batch int
	// Revert, if not nil, is a normalizer that brings the outputs back to the labels' scale.
	Revert *data.Scaler
	// Labels is true if the Data of the predictions should also have the labels of the examples.
	Labels bool
}

// Output applies the network here, to examples in memory: an array for each of its inputs, [examples, …] or, of a
// single example, a vector, if the network has one row of numbers as input. The outputs of a vector are vectors, too
// (Deeplearning4j: predict(Matrix), predict(Vector)).
func (m *applications) Output(features ...*tensor.Dense) ([]*tensor.Dense, error) {
	if missing(m.net) {
		return nil, errors.New("there is no network: New or SetNet was given nil")
	}
	in := &data.MultiDataSet{}
	vector := false
	for _, x := range features {
		if x != nil && len(x.Shape) == 1 {
			vector, x = true, &tensor.Dense{Shape: tensor.Shape{1, x.Shape[0]}, Data: x.Data}
		}
		in.Features = append(in.Features, x)
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	m.here.Lock()
	defer m.here.Unlock()
	if err := m.net.Check(in); err != nil {
		return nil, err
	}
	outputs, err := m.net.Output(in, false)
	if err != nil || !vector {
		return outputs, err
	}
	for _, y := range outputs {
		if len(y.Shape) > 1 && y.Shape[0] == 1 {
			y.Shape = y.Shape[1:]
		}
	}
	return outputs, nil
}

// Predict returns the network's outputs for each example, with its key and by its masks (Deeplearning4j:
// feedForwardWithKey, feedForwardWithMaskAndKey, feedForwardWithKeySingle). Labels are not needed. If they have a mask,
// it multiplies the outputs: see nn.Network.Output.
//
// Results are computed when they are read, with the network as it is now. The workers keep it until [Results.Release].
//
// Only examples of the same shapes go through the network together. Nothing is padded, so an example has the same
// outputs as alone. Deeplearning4j differs: it pads masks with those of other examples in the partition.
func (m *applications) Predict(ctx context.Context, d *Data, o PredictOptions) (*Predictions, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	conf := predictConfig{Keys: names(d.keys), WithLabels: o.Labels}
	if o.Revert != nil {
		var b bytes.Buffer
		if err := data.WriteNormalizer(&b, o.Revert); err != nil {
			return nil, err
		}
		conf.Revert = b.Bytes()
	}
	a, release, err := m.hold(ctx, o.Batch)
	if err != nil {
		return nil, err
	}
	a.Batch = serve.BatchSize(a.Batch)
	conf.applied = a
	rows := d.rows.Map(predict.With(conf))
	p := &Predictions{engine: m.engine, rows: rows, source: d, read: readOutputs, data: d.derive(rows),
		table: outputColumns(conf.Keys, m.outputNames()), release: release}
	p.data.results = &p.released
	return p, nil
}

// outputNames returns the names of a graph's outputs if there are several.
func (m *applications) outputNames() []string {
	if g, ok := nn.As[*nn.Graph](m.net); ok && len(g.Config().Outputs) > 1 {
		return g.Config().Outputs
	}
	return nil
}

func readOutputs(row []byte) (meta string, outputs []*tensor.Dense, err error) {
	m, err := data.DecodeRow(row)
	if err != nil {
		return "", nil, err
	}
	if m.Meta != nil {
		meta = m.Meta[0]
	}
	return meta, m.Features, nil
}

type predictConfig struct {
	applied
	Keys       []string
	Revert     []byte // normalizer.bin
	WithLabels bool
}

var predict = engine.Register("distributed.predict",
	func(t *engine.Task, conf predictConfig, in engine.Rows, out engine.Writer) error {
		revert, err := readReverting(conf.Revert)
		if err != nil {
			return engine.Permanent(err)
		}
		predictor, err := conf.predictor(t)
		if err != nil {
			return err
		}
		return conf.alike(t, in, conf.Keys, conf.WithLabels, func(m *data.MultiDataSet) error {
			outputs, err := predictor.PredictData(t.Context(), m)
			if err != nil && t.Context().Err() != nil {
				return err
			}
			if err == nil && revert != nil {
				err = revert.RevertLabels(outputs, nil)
			}
			if err != nil {
				return engine.Permanent(err)
			}
			for i := range m.Examples() {
				p := m.Slice(i, i+1)
				p.Features, p.FeatureMasks = make([]*tensor.Dense, len(outputs)), nil
				for k, y := range outputs {
					p.Features[k] = outputOf(y, m.Examples(), i)
				}
				if !conf.WithLabels {
					p.Labels, p.LabelMasks = nil, nil
				}
				if err := out.Write(engine.Unindexed(data.AppendRow(nil, p))); err != nil {
					return err
				}
			}
			return nil
		})
	})

// readReverting reads the normalizer that brings outputs back to the labels' scale; nil if there is none.
func readReverting(b []byte) (*data.Scaler, error) {
	if b == nil {
		return nil, nil
	}
	n, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
	scaler, _ := n.(*data.Scaler)
	return scaler, err
}

// outputOf returns the output of example i of n: a row or, if the example has several rows, [1, rows, …].
func outputOf(y *tensor.Dense, n, i int) *tensor.Dense {
	times := y.Rows() / n
	if times == 1 {
		return y.Slice(i, i+1)
	}
	out := tensor.New(append([]int{1, times}, y.Shape[1:]...)...)
	size := y.RowSize()
	for k := range times {
		copy(out.Data[k*size:(k+1)*size], y.Data[(k*n+i)*size:])
	}
	return out
}
