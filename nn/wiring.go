package nn

import (
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// node is a layer with where its inputs come from.
type node struct {
	name  string
	key   string // of its parameters: "0" for 0_W
	layer layer.Layer
	pre   layer.Preprocessor // nil: none
	in    []int              // nodes; −1−k is the network's input k
}

// SumsScores reports whether scores are sums over the minibatch, not means: gradients are sums, and so is the score of
// an output layer.
func (n *Network) SumsScores() bool {
	return !n.mean && slices.ContainsFunc(n.outputs, func(i int) bool { return !layer.MeansScore(n.nodes[i].layer) })
}

// OutputLayers are the layers, or vertices, whose activations are the network's outputs.
func (n *Network) OutputLayers() []layer.Layer {
	var out []layer.Layer
	for _, i := range n.outputs {
		out = append(out, n.nodes[i].layer)
	}
	return out
}

// OutputRows is how many rows each output has for an example: 1, or more where the network makes several examples of
// one (layer.SpaceToBatch, vertex.Stack). Row j·n + i of the outputs, and of the labels, is example i's of a minibatch
// of n.
func (n *Network) OutputRows() []int {
	var times []int
	const many = 1 << 10 // rows that an Unstack can divide
	_, out := n.rows(many)
	for _, i := range n.outputs {
		times = append(times, max(out[i]/many, 1))
	}
	return times
}

// types propagates the inputs' types through the layers; each answer is what goes into a node and what comes out.
func (n *Network) types(inputs []inputtype.Type) (in [][]inputtype.Type, out []inputtype.Type, err error) {
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

// rows is how many examples flow into each node and out of it, for a minibatch of so many: more where there are stacks,
// say.
func (n *Network) rows(batch int) (in, out []int) {
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
