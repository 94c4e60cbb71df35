package nn

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Key keys the random numbers of a training step: the run's seed, the epoch, and the index of the minibatch's first
// example in the order of the epoch.
type Key = program.Key

// node is a layer with where its inputs come from.
type node struct {
	name  string
	key   string // of its parameters: "0" for 0_W
	layer layer.Layer
	pre   layer.Preprocessor // nil: none
	in    []int              // nodes; −1−k is the network's input k
}

// core is what networks of layers have in common: parameters, training and inference. Its methods are the network's.
type core struct {
	nodes   []node
	inputs  int   // number of input arrays
	outputs []int // nodes
	mean    bool  // gradient and score are means over the minibatch

	layout   layout
	segments []segment

	params, state    []float32
	unset            bool      // Replica made the parameters, and none was given since
	gradient, update []float32 // nil until needed
	iteration, epoch int
	score            float64
	passes           uint64 // in training's form, without a step

	self       Network // what the methods belong to
	normalizer []byte  // of a model file: normalizer.bin, kept as it is
	schema     *data.Schema
	notices    []string

	executor   program.Executor // nil until needed: then one of package cpu
	threads    int              // of that
	closer     func()           // ends its threads
	plans      planCache
	recurrence recurrence
	listeners  []Listener
}

func (n *core) start(nodes []node, inputs int, outputs []int, mean bool) error {
	n.nodes, n.inputs, n.outputs, n.mean = nodes, inputs, outputs, mean
	var err error
	if n.layout, err = n.newLayout(nodes); err != nil {
		return err
	}
	n.segments = n.layout.segments(nodes)
	n.score = math.NaN()
	return nil
}

// allocate takes the memory of parameters and updater state.
func (n *core) allocate() error {
	if n.params == nil {
		if err := checkup.Fits(4 * int64(n.layout.params+n.layout.state)); err != nil {
			return fmt.Errorf("a network of %d parameters: %w", n.layout.params, err)
		}
		n.params = make([]float32, n.layout.params)
		n.state = make([]float32, n.layout.state)
		n.layout.initState(n.state)
	}
	return nil
}

// NumParams is the number of parameters.
func (n *core) NumParams() int { return n.layout.params }

// NumStates is the length of the updater state.
func (n *core) NumStates() int { return n.layout.state }

// Params is the flat parameter vector, in Deeplearning4j's order. It is the network's own: writing to it changes the
// network.
func (n *core) Params() []float32 { return n.params }

// SetParams copies p into the parameters.
func (n *core) SetParams(p []float32) error {
	if len(p) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(p)}
	}
	copy(n.params, p)
	n.unset = false
	return nil
}

// UpdaterState is the flat state of the updaters, in updater blocks. It is the network's own.
func (n *core) UpdaterState() []float32 { return n.state }

// SetUpdaterState copies s into the updater state.
func (n *core) SetUpdaterState(s []float32) error {
	if len(s) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(s)}
	}
	copy(n.state, s)
	return nil
}

// Adopt makes the slices the network's parameters and updater state, without a copy. The network owns them from now on.
// A nil slice leaves the old one in place. So a network can train in memory that belongs to its user.
func (n *core) Adopt(params, state []float32) error {
	if params != nil && len(params) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(params)}
	}
	if state != nil && len(state) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(state)}
	}
	if params != nil {
		n.params, n.unset = params, false
	}
	if state != nil {
		n.state = state
	}
	return nil
}

// Iteration is the number of steps done.
func (n *core) Iteration() int { return n.iteration }

// SetIteration sets the number of steps done, by which schedules and updaters go.
func (n *core) SetIteration(i int) { n.iteration = i }

// Epoch is the number of passes over the data done.
func (n *core) Epoch() int { return n.epoch }

// SetEpoch sets the number of passes done.
func (n *core) SetEpoch(e int) { n.epoch = e }

// LastScore is the score of the last minibatch that was fitted, before its update; NaN before the first.
func (n *core) LastScore() float64 { return n.score }

// SetLastScore is for training masters: the score that their workers' minibatches had.
func (n *core) SetLastScore(s float64) { n.score = s }

// Init draws the parameters from the seed, resets the updater state, and sets iteration and epoch to 0.
func (n *core) Init(seed uint64) {
	n.layout.initParams(n.params, seed)
	n.layout.initState(n.state)
	n.iteration, n.epoch, n.score, n.unset = 0, 0, math.NaN(), false
}

// takeOver copies what of a network is not in its configuration.
func (n *core) takeOver(of *core) {
	copy(n.params, of.params)
	n.unset = of.unset
	copy(n.state, of.state)
	n.iteration, n.epoch, n.score = of.iteration, of.epoch, of.score
	n.threads = of.threads
	n.normalizer, n.schema = bytes.Clone(of.normalizer), of.schema
}

// share makes n, which is new, apply the layers and parameters of another network.
func (n *core) share(of *core, self Network) {
	n.nodes, n.inputs, n.outputs, n.mean = of.nodes, of.inputs, of.outputs, of.mean
	n.layout, n.segments, n.params = of.layout, of.segments, of.params
	n.iteration, n.epoch, n.score = of.iteration, of.epoch, of.score
	n.recurrence = recurrence{forward: of.recurrence.forward, back: of.recurrence.back, formats: of.recurrence.formats}
	n.threads, n.self, n.normalizer, n.schema = of.threads, self, of.normalizer, of.schema
}

// Notices lists what changed when the network was read from a file, such as its type, or settings of older versions.
func (n *core) Notices() []string { return n.notices }

// SumsScores reports whether scores are sums over the minibatch, not means: gradients are sums, and so is the score of
// an output layer.
func (n *core) SumsScores() bool {
	return !n.mean && slices.ContainsFunc(n.outputs, func(i int) bool { return !layer.MeansScore(n.nodes[i].layer) })
}

// OutputLayers are the layers, or vertices, whose activations are the network's outputs.
func (n *core) OutputLayers() []layer.Layer {
	var out []layer.Layer
	for _, i := range n.outputs {
		out = append(out, n.nodes[i].layer)
	}
	return out
}

// OutputRows is how many rows each output has for an example: 1, or more where the network makes several examples of one
// (layer.SpaceToBatch, vertex.Stack). Row j·n + i of the outputs, and of the labels, is example i's of a minibatch of n.
func (n *core) OutputRows() []int {
	var times []int
	const many = 1 << 10 // rows that an Unstack can divide
	_, out := n.rows(many)
	for _, i := range n.outputs {
		times = append(times, max(out[i]/many, 1))
	}
	return times
}

// types propagates the inputs' types through the layers; each answer is what goes into a node and what comes out.
func (n *core) types(inputs []inputtype.Type) (in [][]inputtype.Type, out []inputtype.Type, err error) {
	for i, nd := range n.nodes {
		var ts []inputtype.Type
		for _, k := range nd.in {
			t := inputtype.Type{}
			if k < 0 {
				t = inputs[-1-k]
			} else {
				t = out[k]
			}
			if nd.pre != nil {
				if t, err = nd.pre.OutputType(t); err != nil {
					return nil, nil, n.at(i, err)
				}
			}
			ts = append(ts, t)
		}
		t, err := nd.layer.OutputType(ts)
		if err != nil {
			return nil, nil, n.at(i, err)
		}
		in, out = append(in, ts), append(out, t.Over(ts[0]))
	}
	return in, out, nil
}

// rows is how many examples flow into each node and out of it, for a minibatch of so many: more where there are stacks, say.
func (n *core) rows(batch int) (in, out []int) {
	for _, nd := range n.nodes {
		var rows []int
		for _, k := range nd.in {
			if k < 0 {
				rows = append(rows, batch)
			} else {
				rows = append(rows, out[k])
			}
		}
		made := rows[0]
		var of any = nd.layer
		if v, ok := of.(vertexLayer); ok {
			of = v.Vertex
		}
		if r, ok := of.(layer.Rows); ok {
			made = r.Rows(rows)
		}
		in, out = append(in, rows[0]), append(out, made)
	}
	return in, out
}

// Check checks whether data of these shapes fits the network, without running anything. The first dimension counts the
// examples. labels may be nil. Errors name the layer, the shape that it wants and the one that it got.
func (n *core) Check(m *data.MultiDataSet) error {
	if err := n.fits(m); err != nil {
		return err
	}
	var ts []inputtype.Type
	for _, f := range m.Features {
		t, err := inputtype.Of(f.Shape)
		if err != nil {
			return err
		}
		ts = append(ts, t)
	}
	_, out, err := n.types(ts)
	if err != nil || m.Labels == nil {
		return err
	}
	if len(m.Labels) != len(n.outputs) {
		return fmt.Errorf("the network has %d outputs, got %d arrays of labels", len(n.outputs), len(m.Labels))
	}
	_, rows := n.rows(m.Examples())
	for k, i := range n.outputs {
		s, err := n.scorer(i)
		if err == nil {
			err = n.checkLabels(i, s.LabelShape(out[i], rows[i]), m.Labels[k].Shape)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLabels compares an output's labels with what it wants.
func (n *core) checkLabels(node int, want, got tensor.Shape) error {
	if want.Equal(got) {
		return nil
	}
	return n.at(node, fmt.Errorf("wants labels of shape %v, got %v", want, got))
}

// fits checks what does not depend on the layers: that there are examples, as many inputs as the network has, and that
// the arrays fit each other.
func (n *core) fits(m *data.MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Examples() == 0 {
		return &data.ShapeError{Array: "features", Shape: m.Features[0].Shape, Problem: "there are no examples"}
	}
	if len(m.Features) != n.inputs {
		return fmt.Errorf("the network takes %d arrays of features, got %d", n.inputs, len(m.Features))
	}
	return nil
}

// scorer gives an output as a layer that has a loss.
func (n *core) scorer(i int) (layer.Scorer, error) {
	s, ok := n.nodes[i].layer.(layer.Scorer)
	if !ok {
		return nil, n.at(i, fmt.Errorf("the output layer has no loss function: it cannot be scored or trained"))
	}
	return s, nil
}
