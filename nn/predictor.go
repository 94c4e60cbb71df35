package nn

import (
	"fmt"
	"sync"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Predictor serves a network's outputs to any number of goroutines at a time. All share the network's parameters, which
// must not change while the predictor is in use: train a Clone. A row's output does not depend on the rows beside it.
type Predictor struct {
	net *core

	mu   sync.Mutex
	idle []*plan // compiled programs that nobody runs, the least recently used first
}

const (
	// maxPrediction is the number of rows that go through a program at once; larger batches are cut.
	maxPrediction = 256
	// maxIdle bounds the programs that wait for the next call.
	maxIdle = 16
)

// NewPredictor makes a predictor of the network's parameters as they are in the network.
func (n *core) NewPredictor() *Predictor { return &Predictor{net: n} }

// Predict gives the output of each output layer for the rows of the features, one array for each input of the network.
// Its errors say which layer a shape does not fit. It is safe for concurrent use.
func (p *Predictor) Predict(features ...*tensor.Dense) ([]*tensor.Dense, error) {
	m := &data.MultiDataSet{Features: features}
	if err := p.net.Check(m); err != nil {
		return nil, err
	}
	rows := m.Examples()
	var out []*tensor.Dense
	for from := 0; from < rows; from += maxPrediction {
		to := min(from+maxPrediction, rows)
		part, err := p.predict(m.Slice(from, to))
		if err != nil {
			return nil, err
		}
		if out == nil {
			for _, o := range part {
				shape := o.Shape.Clone()
				shape[0] = rows
				out = append(out, tensor.New(shape...))
			}
		}
		for i, o := range part {
			copy(out[i].Data[from*o.RowSize():], o.Data[:(to-from)*o.RowSize()])
		}
	}
	return out, nil
}

// predict runs up to maxPrediction rows. They are padded to a power of two, so that few programs serve all sizes; the
// answer has the padding's rows too.
func (p *Predictor) predict(m *data.MultiDataSet) ([]*tensor.Dense, error) {
	rows, size := m.Examples(), 1
	for size < rows {
		size *= 2
	}
	if size > rows {
		padded := &data.MultiDataSet{}
		for _, f := range m.Features {
			shape := f.Shape.Clone()
			shape[0] = size
			g := tensor.New(shape...)
			copy(g.Data, f.Data)
			padded.Features = append(padded.Features, g)
		}
		m = padded
	}
	pl, err := p.take(m)
	if err != nil {
		return nil, err
	}
	defer p.give(pl)
	pl.bind(m, 0, 0)
	pl.bindings.Vectors[program.Params] = p.net.params
	if err := pl.exe.Run(&pl.bindings); err != nil {
		return nil, err
	}
	return outputsOf(pl.program, pl.exe), nil
}

// take gives a program that nobody else runs.
func (p *Predictor) take(m *data.MultiDataSet) (*plan, error) {
	p.mu.Lock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if pl := p.idle[i]; pl.fits(forOutput, false, m) {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.mu.Unlock()
			return pl, nil
		}
	}
	p.mu.Unlock()
	s := shapesOf(m, false)
	l, err := p.net.lowerData(forOutput, false, s)
	if err != nil {
		return nil, err
	}
	pl, err := compile(p.net.executor, l, forOutput, false, s)
	if err != nil {
		return nil, fmt.Errorf("predictor: %w", err)
	}
	return pl, nil
}

// give puts a program back.
func (p *Predictor) give(pl *plan) {
	for k, in := range pl.inputs {
		if in.what != 's' {
			pl.bindings.Inputs[k] = nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == maxIdle {
		p.idle = p.idle[1:]
	}
	p.idle = append(p.idle, pl)
}
