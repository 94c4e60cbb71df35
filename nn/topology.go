package nn

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// topology holds the nodes of a network in the order of computation, and their connections.
type topology struct {
	nodes   []node
	inputs  int   // number of input arrays
	outputs []int // nodes
	mean    bool  // gradient and score are means over the minibatch
	graph   bool  // the nodes are a Graph's vertices
}

// node is a layer with its inputs.
type node struct {
	name  string
	key   string // of its parameters: "0" for 0_W
	layer layer.Layer
	pre   layer.Preprocessor // nil: none
	in    []int              // nodes; −1−k is the network's input k
}

// isGraph reports whether the network is a Graph.
func (n *topology) isGraph() bool { return n.graph }

// SumsScores reports whether gradients and scores of the output layers are sums over the minibatch, not means.
func (n *topology) SumsScores() bool {
	return !n.mean && slices.ContainsFunc(n.outputs, func(i int) bool { return !layer.MeansScore(n.nodes[i].layer) })
}

// OutputLayers returns the layers, or vertices, whose activations are the network's outputs.
func (n *topology) OutputLayers() []layer.Layer {
	var out []layer.Layer
	for _, i := range n.outputs {
		out = append(out, n.nodes[i].layer)
	}
	return out
}

// OutputRows returns the number of rows that each output has for an example. It is more than 1 if the network makes
// several rows of an example (layer.SpaceToBatch, vertex.Stack). In a minibatch of n examples, row j·n + i of the
// outputs, and of the labels, belongs to example i.
func (n *topology) OutputRows() []int {
	var times []int
	const many = 1 << 10 // divisible by any Unstack
	_, out := n.rows(many)
	for _, i := range n.outputs {
		times = append(times, max(out[i]/many, 1))
	}
	return times
}

// types propagates the inputs' types through the layers. It returns the input types and the output type of each node.
func (n *topology) types(inputs []inputtype.Type) (in [][]inputtype.Type, out []inputtype.Type, err error) {
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

// rows returns how many rows flow into and out of each node for a minibatch of batch examples. A Stack, for example,
// makes them more.
func (n *topology) rows(batch int) (in, out []int) {
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

// named finds a node by its name or, in a stack of layers, by its number. An empty name means the first layer.
func (n *topology) named(name string) (int, error) {
	if name == "" {
		return slices.IndexFunc(n.nodes, func(nd node) bool { _, vertex := nd.layer.(vertexLayer); return !vertex }), nil
	}
	if i := slices.IndexFunc(n.nodes, func(nd node) bool { return nd.name == name }); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil && !n.graph && i >= 0 && i < len(n.nodes) {
		return i, nil
	}
	return 0, fmt.Errorf("there is no layer %q in the network", name)
}

// at names the layer of an error: the result is a LayerError, or a VertexError in a graph.
func (n *topology) at(i int, err error) error {
	if n.graph {
		return &VertexError{n.nodes[i].name, err}
	}
	return &LayerError{i, n.nodes[i].name, err}
}

// place names a layer in messages.
func (n *topology) place(i int) string {
	if n.graph {
		return "vertex " + n.nodes[i].name
	}
	return fmt.Sprintf("layer %d (%s)", i, n.nodes[i].name)
}

// reached reports the nodes that receive gradients: no frozen layer is on their way to some output.
func (n *topology) reached() []bool {
	r := make([]bool, len(n.nodes))
	for _, i := range n.outputs {
		r[i] = true
	}
	for i := len(n.nodes) - 1; i >= 0; i-- {
		if _, frozen := n.nodes[i].layer.(layer.Frozen); frozen || !r[i] {
			continue
		}
		for _, k := range n.nodes[i].in {
			if k >= 0 {
				r[k] = true
			}
		}
	}
	return r
}
