package nn

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// MultiLayer is a network whose layers stand in one row (Deeplearning4j: MultiLayerNetwork). It is used by one
// goroutine at a time; a Predictor serves many.
type MultiLayer struct {
	core
	conf Configuration
}

// New makes the network of a configuration, which it completes and checks. All parameters are 0: Init draws them. The
// executor is one of package cpu, with as many threads as there are processors: see SetThreads and SetExecutor.
func New(c Configuration) (*MultiLayer, error) {
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	m.allocate()
	return m, nil
}

// build is New without memory for parameters.
func build(c Configuration) (*MultiLayer, error) {
	c, err := c.Complete()
	if err != nil {
		return nil, err
	}
	m := &MultiLayer{conf: c}
	var nodes []node
	for i, l := range c.Layers {
		nodes = append(nodes, node{l.Settings().Name, strconv.Itoa(i), l, c.Preprocessors[i], []int{i - 1}})
	}
	m.self = m
	m.recurrence = c.recurrence(c.firstType())
	if err := m.start(nodes, 1, []int{len(nodes) - 1}, !c.SumGradients); err != nil {
		return nil, err
	}
	return m, nil
}

// Config is the network's configuration, completed.
func (m *MultiLayer) Config() Configuration { return m.conf }

// Configuration gives configuration.json with the network's iteration and epoch.
func (m *MultiLayer) Configuration() ([]byte, error) { return m.conf.marshal(m.iteration, m.epoch) }

// Replica makes a network of configuration.json, with zeroed parameters: the inverse of a Network's Configuration.
func Replica(configuration []byte) (Network, error) {
	net, n, err := unmarshalNetwork(configuration)
	if err == nil {
		n.allocate()
	}
	return net, err
}

// Clone gives an independent copy, with an executor of its own and without listeners.
func (m *MultiLayer) Clone() *MultiLayer {
	c, err := New(m.conf)
	if err != nil {
		panic(err) // the configuration made m
	}
	copy(c.params, m.params)
	copy(c.state, m.state)
	c.iteration, c.epoch, c.score = m.iteration, m.epoch, m.score
	c.threads = m.threads
	c.normalizer = bytes.Clone(m.normalizer)
	return c
}

// InputType is what the network takes, as far as its configuration says; its Kind is Unknown otherwise.
func (m *MultiLayer) InputType() inputtype.Type { return m.conf.firstType() }

// OutputSize is the number of elements of an output row; 0 where the configuration does not say.
func (m *MultiLayer) OutputSize() int {
	if s, ok := m.conf.Layers[len(m.conf.Layers)-1].(layer.Sized); ok {
		_, n := s.Sizes()
		return n
	}
	return 0
}

// Program describes what runs in a training step on minibatches of so many examples: the operations with their shapes,
// and the executor's plan with its buffers. It needs the input type.
func (m *MultiLayer) Program(batch int) (string, error) {
	t := m.InputType()
	if t.Kind == inputtype.Unknown {
		return "", fmt.Errorf("the configuration does not say what the network's inputs are")
	}
	_, out, err := m.types([]inputtype.Type{asArray(t)})
	if err != nil {
		return "", err
	}
	last := len(out) - 1
	s, err := m.scorer(last)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = m.dump(&b, shapes{features: []tensor.Shape{t.Shape(batch)}, labels: []tensor.Shape{s.LabelShape(out[last], batch)}})
	return b.String(), err
}

// asArray is the type that arrays of a type are found to have.
func asArray(t inputtype.Type) inputtype.Type {
	if t.Kind == inputtype.ConvolutionalFlatKind {
		return inputtype.FeedForward(t.Elements())
	}
	return t
}
