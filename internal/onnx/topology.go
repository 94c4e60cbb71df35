package onnx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// step is a layer or a vertex of a network, and its inputs.
type step struct {
	name string // in errors and the ONNX graph
	key  string // of its parameters: "0" for 0_W
	of   layer.Layer
	at   vertex.Vertex // or else of
	pre  layer.Preprocessor
	in   []int // steps; −1−k is the network's input k
}

// forward emits the formula of either kind.
func (s *step) forward(c *layer.Context, in []layer.Activation) layer.Activation {
	if s.at != nil {
		return s.at.Forward(c, in)
	}
	return s.of.Forward(c, in)
}

// params lists the parameters of either kind.
func (s *step) params() []layer.Param {
	if s.of != nil {
		return s.of.Params()
	}
	if p, ok := s.at.(vertex.Parametric); ok {
		return p.Params()
	}
	return nil
}

func (s *step) outputType(in []inputtype.Type) (inputtype.Type, error) {
	if s.at != nil {
		return s.at.OutputType(in)
	}
	return s.of.OutputType(in)
}

// rows returns the number of output rows, given those of the inputs.
func (s *step) rows(in []int) int {
	var of any = s.of
	if s.at != nil {
		of = s.at
	}
	if r, ok := of.(layer.Rows); ok {
		return r.Rows(in)
	}
	return in[0]
}

// class returns the step's kind for errors.
func (s *step) class() string {
	if s.at != nil {
		return fmt.Sprintf("%T", s.at)
	}
	return fmt.Sprintf("%T", s.of)
}

// topology holds a network's steps, each after its inputs.
type topology struct {
	inputs  []string
	steps   []*step
	outputs []int
}

// topologyOf reads the network's configuration.
func topologyOf(n *nn.Network) *topology {
	if m, ok := nn.As[*nn.MultiLayer](n); ok {
		return ofLayers(m.Config())
	}
	g, _ := nn.As[*nn.Graph](n)
	return ofGraph(g.Config())
}

func ofLayers(c nn.Configuration) *topology {
	t := &topology{inputs: []string{"input"}, outputs: []int{len(c.Layers) - 1}}
	for i, l := range c.Layers {
		name := l.Settings().Name
		if name == "" {
			name = fmt.Sprintf("layer%d", i)
		}
		t.steps = append(t.steps, &step{name: name, key: strconv.Itoa(i), of: l, pre: c.Preprocessors[i], in: []int{i - 1}})
	}
	return t
}

func ofGraph(c nn.GraphConfiguration) *topology {
	t := &topology{inputs: c.Inputs}
	place := map[string]int{}
	for i, name := range c.Inputs {
		place[name] = -1 - i
	}
	for len(t.steps) < len(c.Vertices) { // the configuration is checked, so each round finds one
		for _, v := range c.Vertices {
			if _, done := place[v.Name]; done {
				continue
			}
			names := v.Inputs
			if r, ok := v.Vertex.(vertex.Referring); ok && r.Refers() != "" {
				names = append(slices.Clone(names), r.Refers())
			}
			var in []int
			for _, name := range names {
				if k, ok := place[name]; ok {
					in = append(in, k)
				}
			}
			if len(in) == len(names) {
				place[v.Name] = len(t.steps)
				t.steps = append(t.steps, &step{name: v.Name, key: v.Name, of: v.Layer, at: v.Vertex, pre: v.Preprocessor, in: in})
			}
		}
	}
	for _, name := range c.Outputs {
		t.outputs = append(t.outputs, place[name])
	}
	return t
}
