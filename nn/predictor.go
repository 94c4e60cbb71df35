package nn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// PredictorOptions are settings of a [Predictor]. The zero value has the defaults.
type PredictorOptions struct {
	// Concurrency is the number of predictions that are computed at a time, further ones wait; below 1 it is the number
	// of processors. On a device it is 1.
	Concurrency int
	// Threads work on each prediction; below 1 it is 1.
	Threads int
	// NoNormalizer leaves the network's normalizer aside: the features are normalized already, and outputs stay on the
	// scale of normalized labels.
	NoNormalizer bool
	// AllowNaN lets features and outputs that are NaN or infinite pass, which are errors otherwise.
	AllowNaN bool
}

// Predictor serves a network's outputs to any number of goroutines at a time, as dl4go predict writes them:
// features go through the network's normalizer, and outputs of a network that was trained on normalized labels are
// brought back to the labels' scale. All predictions share the network's parameters, which must not change while
// the predictor is in use: train a Clone. A row's output does not depend on the rows beside it.
type Predictor struct {
	seats     chan *Network // each with an executor and programs of its own
	normalize normalizer.Normalizer
	broken    error // the normalizer can't be read
	allowNaN  bool

	closing sync.Once
	closed  chan struct{}
}

// ErrPredictorClosed is the error of a prediction after [Predictor.Close].
var ErrPredictorClosed = errors.New("the predictor is closed; predict before Close, or make another one")

// maxPrediction is the number of rows that go through a program at once; larger batches are cut.
const maxPrediction = 256

// NewPredictor makes a predictor of the network. Close it after use. Where the network's normalizer can't be read,
// every prediction is an error.
func (n *Network) NewPredictor(o PredictorOptions) *Predictor {
	_, onDevice := n.executor.(program.Keeper)
	if onDevice {
		o.Concurrency = 1
	} else if o.Concurrency < 1 {
		o.Concurrency = runtime.GOMAXPROCS(0)
	}
	p := &Predictor{seats: make(chan *Network, o.Concurrency), allowNaN: o.AllowNaN, closed: make(chan struct{})}
	if b := n.normalizer; b != nil && !o.NoNormalizer {
		if p.normalize, p.broken = normalizer.Read(bytes.NewReader(b), int64(len(b))); p.broken != nil {
			p.broken = fmt.Errorf("the network's normalizer: %w; set it anew, or set NoNormalizer", p.broken)
		}
	}
	for range o.Concurrency {
		seat := new(Network)
		n.lend(seat, n.kind)
		seat.threads = max(o.Threads, 1)
		if onDevice {
			seat.executor = n.executor
		}
		p.seats <- seat
	}
	return p
}

// Close waits for predictions under way and ends the predictor's threads. Later predictions are errors. A second
// Close has no effect.
func (p *Predictor) Close() {
	p.closing.Do(func() {
		close(p.closed)
		for range cap(p.seats) {
			(<-p.seats).Close()
		}
	})
}

// Predict returns the output of each output layer for the rows of the features, with one array for each input of the
// network. Errors name the layer whose shape does not fit. It is safe for concurrent use. Padded sequences need masks:
// see [Predictor.PredictData]. Cancelling the context ends the wait for other predictions, and ends this one between
// blocks of 256 rows.
func (p *Predictor) Predict(ctx context.Context, features ...*tensor.Dense) ([]*tensor.Dense, error) {
	return p.PredictData(ctx, &data.MultiDataSet{Features: features})
}

// PredictData is [Predictor.Predict] with the masks of a data set. A padded and masked sequence has the outputs that it
// has alone. A mask of labels multiplies the outputs, as in Output; labels are ignored. The data set is not changed. A
// feature or an output that is NaN or infinite is a [data.ValueError] that names the example.
func (p *Predictor) PredictData(ctx context.Context, m *data.MultiDataSet) ([]*tensor.Dense, error) {
	n, err := p.seat(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { p.seats <- n }()
	if m.LabelMasks == nil {
		m = &data.MultiDataSet{Features: m.Features, FeatureMasks: m.FeatureMasks}
	}
	if err := n.Check(m); err != nil {
		return nil, err
	}
	rows := m.Examples()
	var out []*tensor.Dense
	for from := 0; from < rows; from += maxPrediction {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		to := min(from+maxPrediction, rows)
		some, err := p.prepared(m, from, to)
		if err != nil {
			return nil, err
		}
		part, err := n.Output(some, false)
		if err != nil {
			return nil, err
		}
		if out == nil {
			for _, o := range part {
				shape := o.Shape.Clone()
				shape[0] = rows * (o.Rows() / some.Examples())
				out = append(out, tensor.New(shape...))
			}
		}
		for i, o := range part {
			for k := range o.Rows() / some.Examples() { // networks may make several rows of each example
				first := o.Slice(k*some.Examples(), k*some.Examples()+to-from)
				copy(out[i].Data[(k*rows+from)*o.RowSize():], first.Data)
			}
		}
	}
	return p.finished(out, rows)
}

// seat waits for a network that is free.
func (p *Predictor) seat(ctx context.Context) (*Network, error) {
	select {
	case <-p.closed:
		return nil, ErrPredictorClosed
	default:
	}
	if p.broken != nil {
		return nil, p.broken
	}
	select {
	case n := <-p.seats:
		return n, nil
	case <-p.closed:
		return nil, ErrPredictorClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// prepared gives the examples [from, to) normalized, checked and padded.
func (p *Predictor) prepared(m *data.MultiDataSet, from, to int) (*data.MultiDataSet, error) {
	some := m.Slice(from, to)
	if p.normalize != nil {
		scaled := (&data.MultiDataSet{Features: some.Features, FeatureMasks: some.FeatureMasks}).Clone()
		if err := p.normalize.Transform(scaled); err != nil {
			return nil, err
		}
		some.Features = scaled.Features
	}
	if p.allowNaN {
		return padded(some), nil
	}
	read := data.MultiDataSet{Features: some.Features, FeatureMasks: some.FeatureMasks, LabelMasks: some.LabelMasks}
	if err := read.CheckFinite(); err != nil {
		if v := (*data.ValueError)(nil); errors.As(err, &v) {
			v.Example += from
		}
		return nil, err
	}
	return padded(some), nil
}

// finished brings outputs back to the labels' scale, and checks them.
func (p *Predictor) finished(out []*tensor.Dense, rows int) ([]*tensor.Dense, error) {
	if s, ok := p.normalize.(*normalizer.Scaler); ok {
		if err := s.RevertLabels(out, nil); err != nil {
			return nil, err
		}
	}
	if p.allowNaN {
		return out, nil
	}
	err := (&data.MultiDataSet{Features: out}).CheckFinite()
	if v := (*data.ValueError)(nil); errors.As(err, &v) {
		v.Example %= rows // networks may make several rows of each example
		v.Array = "outputs" + v.Array[len("features"):]
	}
	return out, err
}

// padded adds examples of zeros up to a power of two, so that few programs serve all sizes.
func padded(m *data.MultiDataSet) *data.MultiDataSet {
	rows, size := m.Examples(), 1
	for size < rows {
		size *= 2
	}
	if size == rows {
		return m
	}
	list := func(arrays []*tensor.Dense) []*tensor.Dense {
		out := make([]*tensor.Dense, len(arrays))
		for i, a := range arrays {
			if a == nil {
				continue
			}
			shape := a.Shape.Clone()
			times := shape[0] / rows
			shape[0] = times * size
			out[i] = tensor.New(shape...)
			n := rows * a.RowSize()
			for k := range times {
				copy(out[i].Data[k*size*a.RowSize():], a.Data[k*n:(k+1)*n])
			}
		}
		return out
	}
	out := &data.MultiDataSet{Features: list(m.Features)}
	if m.Labels != nil {
		out.Labels = list(m.Labels)
	}
	if m.FeatureMasks != nil {
		out.FeatureMasks = list(m.FeatureMasks)
	}
	if m.LabelMasks != nil {
		out.LabelMasks = list(m.LabelMasks)
	}
	return out
}
