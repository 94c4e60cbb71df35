package nn

import (
	"runtime"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// PredictorOptions say how a Predictor works.
type PredictorOptions struct {
	// Concurrency is the number of predictions that are computed at a time, further ones wait; below 1 it is the number
	// of processors.
	Concurrency int
	// Threads work on each prediction; below 1 it is 1.
	Threads int
}

// Predictor serves a network's outputs to any number of goroutines at a time. All share the network's parameters, which
// must not change while the predictor is in use: train a Clone. A row's output does not depend on the rows beside it.
type Predictor struct {
	seats chan *core // each with an executor and programs of its own
}

// maxPrediction is the number of rows that go through a program at once; larger batches are cut.
const maxPrediction = 256

// NewPredictor makes a predictor of the network. Close it after use.
func (n *core) NewPredictor(o PredictorOptions) *Predictor {
	if o.Concurrency < 1 {
		o.Concurrency = runtime.GOMAXPROCS(0)
	}
	p := &Predictor{make(chan *core, o.Concurrency)}
	for range o.Concurrency {
		seat := new(core)
		seat.share(n, n.self)
		seat.threads = max(o.Threads, 1)
		p.seats <- seat
	}
	return p
}

// Close waits for predictions under way and ends the predictor's threads.
func (p *Predictor) Close() {
	for range cap(p.seats) {
		(<-p.seats).Close()
	}
}

// Predict gives the output of each output layer for the rows of the features, one array for each input of the network.
// Its errors say which layer a shape does not fit. It is safe for concurrent use.
func (p *Predictor) Predict(features ...*tensor.Dense) ([]*tensor.Dense, error) {
	n := <-p.seats
	defer func() { p.seats <- n }()
	m := &data.MultiDataSet{Features: features}
	if err := n.Check(m); err != nil {
		return nil, err
	}
	rows := m.Examples()
	var out []*tensor.Dense
	for from := 0; from < rows; from += maxPrediction {
		to := min(from+maxPrediction, rows)
		some := padded(m.Slice(from, to))
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
	return out, nil
}

// padded adds rows of zeros up to a power of two, so that few programs serve all sizes.
func padded(m *data.MultiDataSet) *data.MultiDataSet {
	rows, size := m.Examples(), 1
	for size < rows {
		size *= 2
	}
	if size == rows {
		return m
	}
	out := &data.MultiDataSet{}
	for _, f := range m.Features {
		shape := f.Shape.Clone()
		shape[0] = size
		g := tensor.New(shape...)
		copy(g.Data, f.Data)
		out.Features = append(out.Features, g)
	}
	return out
}
