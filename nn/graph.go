package nn

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// Graph is a network of layers and vertices with any number of inputs and outputs (Deeplearning4j: ComputationGraph).
// Its score is the sum of its outputs' scores. Parameters are in the topological order of the vertices. Only one
// goroutine may use it at a time; a predictor, of package serve, serves many.
type Graph struct {
	Network
	conf GraphConfiguration
}

// NewGraph completes and checks the configuration, makes the network, and draws its parameters from the defaults'
// Seed; [Graph.Init] draws them from another seed. It computes on the processor, with a thread for each
// processor: see SetThreads and SetExecutor.
func NewGraph(c GraphConfiguration) (*Graph, error) {
	g, err := blankGraph(c)
	if err != nil {
		return nil, err
	}
	g.Init(uint64(g.Seed()))
	return g, nil
}

// blankGraph is NewGraph with all parameters 0, for callers that set them.
func blankGraph(c GraphConfiguration) (*Graph, error) {
	g, err := buildGraph(c)
	if err != nil {
		return nil, err
	}
	if err := g.allocate(); err != nil {
		return nil, err
	}
	return g, nil
}

// buildGraph is NewGraph without memory for parameters.
func buildGraph(c GraphConfiguration) (*Graph, error) {
	c, err := c.Complete()
	if err != nil {
		return nil, err
	}
	w, err := newWiring(&c)
	if err != nil {
		return nil, err
	}
	g := &Graph{conf: c}
	g.kind = g
	place := make([]int, len(w.names)) // places of the names, numbered like node.in
	for i := range c.Inputs {
		place[i] = -1 - i
	}
	at := map[string]int{}
	var nodes []node
	for _, i := range w.order {
		if i < len(c.Inputs) {
			continue
		}
		v := c.Vertices[i-len(c.Inputs)]
		n := node{name: v.Name, key: v.Name, layer: v.Layer, pre: v.Preprocessor}
		if v.Vertex != nil {
			n.layer = vertexLayer{v.Vertex, v.Name}
		}
		for _, k := range w.in[i] {
			n.in = append(n.in, place[k])
		}
		place[i], at[v.Name] = len(nodes), len(nodes)
		nodes = append(nodes, n)
	}
	var outputs []int
	for _, name := range c.Outputs {
		outputs = append(outputs, at[name])
	}
	g.graph, g.sequencing = true, c.Defaults.sequencing(c.InputTypes...)
	if err := g.start(nodes, len(c.Inputs), outputs, !c.Defaults.SumGradients); err != nil {
		return nil, err
	}
	return g, g.trainableIfMade(c.Defaults)
}

// Config returns the network's completed configuration.
func (g *Graph) Config() GraphConfiguration { return g.conf }

func (g *Graph) configuration() ([]byte, error) { return g.conf.marshal(g.iteration, g.epoch) }

// Clone returns an independent copy, with an executor of its own and without listeners.
func (g *Graph) Clone() *Graph {
	c, err := blankGraph(g.conf)
	if err != nil {
		panic(err) // the configuration made g
	}
	c.copyFrom(&g.Network)
	return c
}

func (g *Graph) clone() *Network { return &g.Clone().Network }

func (g *Graph) share() *Network {
	s := &Graph{conf: g.conf}
	g.lend(&s.Network, s)
	return &s.Network
}

func (g *Graph) seed() int64 { return g.conf.Defaults.Seed }

func (g *Graph) setSeed(seed int64) { g.conf.Defaults.Seed = seed }

func (g *Graph) inputTypes() []inputtype.Type {
	types := make([]inputtype.Type, len(g.conf.Inputs))
	copy(types, g.conf.InputTypes)
	for _, nd := range g.nodes {
		for _, k := range nd.in {
			if _, vertex := nd.layer.(vertexLayer); k < 0 && !vertex && types[-1-k].Kind == inputtype.Unknown {
				types[-1-k] = typeInto(nd.pre, nd.layer)
			}
		}
	}
	return types
}

// vertexLayer is a vertex as a layer. The parameters of a Parametric vertex are completed with the configuration.
type vertexLayer struct {
	vertex.Vertex
	name string
}

func (v vertexLayer) Settings() layer.Settings {
	s := layer.Settings{}
	if p, ok := v.Vertex.(vertex.Parametric); ok {
		s = p.Settings()
	}
	s.Name = v.name
	return s
}

func (v vertexLayer) Complete(layer.Defaults, []inputtype.Type) (layer.Layer, error) { return v, nil }

func (v vertexLayer) Preprocessor(inputtype.Type) layer.Preprocessor { return nil }

func (v vertexLayer) Params() []layer.Param {
	if p, ok := v.Vertex.(vertex.Parametric); ok {
		return p.Params()
	}
	return nil
}
