package nn

import (
	"strconv"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// MultiLayer is a network whose layers stand in one row (Deeplearning4j: MultiLayerNetwork). It is used by one
// goroutine at a time; a Predictor serves many.
type MultiLayer struct {
	core
	conf Configuration
}

// New makes the network of a configuration, which it completes and checks, and draws the parameters from the
// configuration's Seed: [MultiLayer.Init] draws them from another. The executor is one of package cpu, with as many
// threads as there are processors: see SetThreads and SetExecutor.
func New(c Configuration) (*MultiLayer, error) {
	m, err := blank(c)
	if err != nil {
		return nil, err
	}
	m.Init(uint64(m.conf.Seed))
	return m, nil
}

// blank is New with parameters of 0, for those that set them.
func blank(c Configuration) (*MultiLayer, error) {
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	if err := m.allocate(); err != nil {
		return nil, err
	}
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
	return m, m.trainableIfMade(c)
}

// Config is the network's configuration, completed.
func (m *MultiLayer) Config() Configuration { return m.conf }

// Configuration gives configuration.json with the network's iteration and epoch.
func (m *MultiLayer) Configuration() ([]byte, error) { return m.conf.marshal(m.iteration, m.epoch) }

// Replica makes a network of a configuration's JSON or YAML: the inverse of a Network's Configuration. All
// parameters are 0, for SetParams or Adopt to set, or Init to draw. Training refuses a network whose parameters are
// still 0.
func Replica(configuration []byte) (Network, error) {
	d, err := readDocument(configuration)
	if err != nil {
		return nil, err
	}
	net, n, err := d.network()
	if err != nil {
		return nil, err
	}
	if err := n.allocate(); err != nil {
		return nil, err
	}
	n.unset = n.layout.params > 0
	return net, nil
}

// Bind is Replica for inference alone, on parameters that stay the caller's: the network reads them where they are, and
// has no updater state. It must not be trained.
func Bind(configuration []byte, params []float32) (Network, error) {
	d, err := readDocument(configuration)
	if err != nil {
		return nil, err
	}
	net, n, err := d.network()
	if err != nil {
		return nil, err
	}
	if len(params) != n.layout.params {
		return nil, &LengthError{"parameters", n.layout.params, len(params)}
	}
	n.params = params
	return net, nil
}

// Clone gives an independent copy, with an executor of its own and without listeners.
func (m *MultiLayer) Clone() *MultiLayer {
	c, err := blank(m.conf)
	if err != nil {
		panic(err) // the configuration made m
	}
	c.takeOver(&m.core)
	return c
}

// Copy is Clone.
func (m *MultiLayer) Copy() Network { return m.Clone() }

// Share gives a network for inference that has the same parameters, not a copy of them, and an executor and programs of
// its own. Each is used by one goroutine at a time; while several are, the parameters must not change.
func (m *MultiLayer) Share() Network {
	s := &MultiLayer{conf: m.conf}
	s.share(&m.core, s)
	return s
}

// Seed is the configuration's.
func (m *MultiLayer) Seed() int64 { return m.conf.Seed }

// SetSeed changes the configuration's.
func (m *MultiLayer) SetSeed(seed int64) { m.conf.Seed = seed }

// InputTypes has InputType.
func (m *MultiLayer) InputTypes() []inputtype.Type { return []inputtype.Type{m.InputType()} }

// InputType returns the type of the input, if the configuration has it; otherwise its Kind is Unknown.
func (m *MultiLayer) InputType() inputtype.Type { return m.conf.firstType() }

// OutputSize returns the number of elements of an output row; 0 if the configuration does not say.
func (m *MultiLayer) OutputSize() int {
	if s, ok := m.conf.Layers[len(m.conf.Layers)-1].(layer.Sized); ok {
		_, n := s.Sizes()
		return n
	}
	return 0
}
