package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// pending is a recurrent operator with two directions. A later node decides how they are joined.
type pending struct {
	node     *onnxfile.Node
	from     string
	fwd, bwd layer.Layer
	params   map[string][]float32
	// last says that the last states are joined, not the steps.
	last bool
}

// bothDirections keeps a node with two directions until the node that joins them.
func bothDirections(r *reader, n *onnxfile.Node, v *value, layers []layer.Layer, params map[string][]float32,
	first bool) error {
	read := func(i int) bool { return i < len(n.Outputs) && n.Outputs[i] != "" && r.readers[n.Outputs[i]] > 0 }
	if read(2) || read(0) && read(1) {
		return errors.New("its last cell states are read, or both its steps and its last states: no layer gives them")
	}
	p := &pending{node: n, from: v.from, fwd: layers[0], bwd: layers[1], params: params}
	_, size := layers[0].(layer.Sized).Sizes()
	if read(1) {
		p.last = true
		axes := []axis{{directionAxis, 2}, {batchAxis, -1}, {featureAxis, size}}
		if first {
			axes[0], axes[1] = axes[1], axes[0]
		}
		r.values[n.Outputs[1]] = &value{from: v.from, axes: axes, recurrent: p}
		return nil
	}
	axes := slices.Clone(v.axes)
	axes[2].size = size
	at := 1
	if first {
		at = 2
	}
	r.set(n, &value{from: v.from, axes: slices.Insert(axes, at, axis{directionAxis, 2}), recurrent: p})
	return nil
}

// joinDirections reads the Reshape that concatenates the directions' features.
func joinDirections(r *reader, n *onnxfile.Node, v *value, to []int) error {
	k := slices.IndexFunc(v.axes, func(a axis) bool { return a.label == directionAxis })
	if k < 0 || k+1 >= len(v.axes) || v.axes[k+1].label != featureAxis || len(to) != len(v.axes)-1 {
		return errors.New("the directions of a recurrent layer are joined in a way that no layer has")
	}
	axes := slices.Clone(v.axes)
	axes[k+1].size *= 2
	axes = slices.Delete(axes, k, k+1)
	for i, d := range to {
		if d != -1 && axes[i].size != -1 && d != axes[i].size && axes[i].label != batchAxis {
			return fmt.Errorf("the directions of a recurrent layer become %v", to)
		}
	}
	return addJoined(r, n, v, axes, layer.BidirectionalConcat)
}

// concatDirections reads the Concat of the directions' features.
func concatDirections(r *reader, n *onnxfile.Node, at int) error {
	if len(n.Inputs) != 2 {
		return errors.New("the directions of a recurrent layer are joined with other values")
	}
	a, b := r.values[n.Inputs[0]], r.values[n.Inputs[1]]
	if a == nil || b == nil || a.recurrent == nil || a.recurrent != b.recurrent || a.way != 1 || b.way != 2 ||
		a.labels() != b.labels() || a.axes[at].label != featureAxis {
		return errors.New("the directions of a recurrent layer are joined in a way that no layer has")
	}
	axes := slices.Clone(a.axes)
	axes[at].size *= 2
	return addJoined(r, n, a, axes, layer.BidirectionalConcat)
}

// addJoined adds the layer with two directions.
func addJoined(r *reader, n *onnxfile.Node, v *value, axes []axis, mode layer.BidirectionalMode) error {
	p := v.recurrent
	l := layer.Bidirectional{Fwd: p.fwd, Bwd: p.bwd, Mode: mode}
	if p.last {
		l.Fwd, l.Bwd = layer.NewLastTimeStep(p.fwd), layer.NewLastTimeStep(p.bwd)
	}
	name, err := r.add(p.node, nn.GraphVertex{Layer: l, Inputs: []string{p.from}}, p.params)
	if err != nil {
		return err
	}
	y, err := r.like(name, &value{axes: axes})
	r.set(n, y)
	return err
}
