package nn

import (
	"strconv"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// MultiLayer is a network that is a stack of layers (Deeplearning4j: MultiLayerNetwork). Only one goroutine may use it
// at a time; a predictor, of package serve, serves many.
type MultiLayer struct {
	Network
	conf Configuration
}

// New completes and checks the configuration, makes the network, and draws its parameters from the configuration's
// Seed; [MultiLayer.Init] draws them from another seed. It computes on the processor, with a thread for each
// processor: see SetThreads and SetExecutor.
func New(c Configuration) (*MultiLayer, error) {
	m, err := blank(c)
	if err != nil {
		return nil, err
	}
	m.Init(uint64(m.conf.Seed))
	return m, nil
}

// blank is New with all parameters 0, for callers that set them.
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
	m.kind = m
	m.sequencing = c.sequencing(c.firstType())
	if err := m.start(nodes, 1, []int{len(nodes) - 1}, !c.SumGradients); err != nil {
		return nil, err
	}
	return m, m.trainableIfMade(c)
}

// Config returns the network's completed configuration.
func (m *MultiLayer) Config() Configuration { return m.conf }

func (m *MultiLayer) configuration() ([]byte, error) { return m.conf.marshal(m.iteration, m.epoch) }

// Replica makes a network from a configuration's JSON or YAML: the inverse of [Network.Configuration]. All parameters
// are 0 until SetParams or Adopt sets them, or Init draws them. Training refuses a network whose parameters were never
// set.
func Replica(configuration []byte) (*Network, error) {
	d, err := readDocument(configuration)
	if err != nil {
		return nil, err
	}
	n, err := d.network()
	if err != nil {
		return nil, err
	}
	if err := n.allocate(); err != nil {
		return nil, err
	}
	n.unset = n.layout.params > 0
	return n, nil
}

// Bind is Replica for inference only. The network reads the caller's parameters in place and has no updater state. It
// must not be trained.
func Bind(configuration []byte, params []float32) (*Network, error) {
	d, err := readDocument(configuration)
	if err != nil {
		return nil, err
	}
	n, err := d.network()
	if err != nil {
		return nil, err
	}
	if len(params) != n.layout.params {
		return nil, &LengthError{"parameters", n.layout.params, len(params)}
	}
	n.params = params
	return n, nil
}

// Clone returns an independent copy, with an executor of its own and without listeners.
func (m *MultiLayer) Clone() *MultiLayer {
	c, err := blank(m.conf)
	if err != nil {
		panic(err) // the configuration made m
	}
	c.copyFrom(&m.Network)
	return c
}

func (m *MultiLayer) clone() *Network { return &m.Clone().Network }

func (m *MultiLayer) share() *Network {
	s := &MultiLayer{conf: m.conf}
	m.lend(&s.Network, s)
	return &s.Network
}

func (m *MultiLayer) seed() int64 { return m.conf.Seed }

func (m *MultiLayer) setSeed(seed int64) { m.conf.Seed = seed }

func (m *MultiLayer) inputTypes() []inputtype.Type { return []inputtype.Type{m.InputType()} }

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
