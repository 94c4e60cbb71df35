package onnx

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/vertex"
)

// mostGroups bounds the vertices that one node makes. Networks in use have at most 64 groups.
const mostGroups = 256

// grouped reads a convolution in groups of channels: subsets of the channels, a convolution of each, and a merge of
// all.
func grouped(r *reader, n *onnxfile.Node, v *value, s sliding, dims []int, params map[string][]float32) error {
	groups := int(min(attributeInt(n, "group", 1), mostGroups+1))
	at := slices.IndexFunc(v.axes, func(a axis) bool { return a.label == channelAxis || a.label == featureAxis })
	switch {
	case groups < 1 || groups > mostGroups:
		return fmt.Errorf("it has %d groups: 1 to %d should be here", attributeInt(n, "group", 1), mostGroups)
	case at < 0 || v.axes[at].size != groups*dims[1] || dims[0]%groups != 0:
		return fmt.Errorf("its %d groups of %d channels do not divide the channels", groups, dims[1])
	}
	in, out := dims[1], dims[0]/groups
	part := slices.Clone(dims)
	part[0] = out
	weights := len(params["W"]) / groups
	merge := nn.GraphVertex{Vertex: vertex.Merge{Axis: 1}}
	for g := range groups {
		node := &onnxfile.Node{Op: n.Op, Name: fmt.Sprintf("%s_%d", n.Name, g), Inputs: n.Inputs, Outputs: n.Outputs}
		x, err := takeRange(r, node, v, int64(g*in), int64((g+1)*in), int64(at))
		if err != nil {
			return err
		}
		own := map[string][]float32{"W": params["W"][g*weights : (g+1)*weights]}
		if b := params["b"]; b != nil {
			own["b"] = b[g*out : (g+1)*out]
		}
		l, err := convolution(node, x, s, part, own)
		if err != nil {
			return err
		}
		name, err := r.add(node, nn.GraphVertex{Layer: l, Inputs: []string{x.from}}, own)
		if err != nil {
			return err
		}
		merge.Inputs = append(merge.Inputs, name)
	}
	name, err := r.add(n, merge, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}
