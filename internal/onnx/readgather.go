package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// readGather reads a lookup in a table, or the selection of the last step.
func readGather(r *reader, n *onnxfile.Node) error {
	if len(n.Inputs) < 2 {
		return errors.New("the index is missing")
	}
	if r.constants[n.Inputs[0]] != nil {
		return readEmbedding(r, n)
	}
	if names := r.stacks[n.Inputs[0]]; names != nil {
		return pickState(r, n, names)
	}
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	at, err := axisIndex(attributeInt(n, "axis", 0), len(v.axes))
	if err != nil {
		return err
	}
	c := r.constants[n.Inputs[1]]
	if c == nil {
		return errors.New("the index should be a constant")
	}
	index, err := c.ints()
	if err != nil || len(index) != 1 {
		return errors.New("it takes other than one element")
	}
	a := v.axes[at]
	axes := slices.Delete(slices.Clone(v.axes), at, at+1)
	if c.rank() > 0 {
		axes = slices.Insert(axes, at, axis{unitAxis, 1})
	}
	switch {
	case a.label == directionAxis && a.size == 2 && v.recurrent != nil && v.way == 0:
		k, err := axisIndex(index[0], 2)
		if err != nil {
			return err
		}
		w := v.with(axes)
		w.way = k + 1
		r.set(n, w)
		return nil
	case (a.label == unitAxis || a.label == directionAxis && a.size == 1) && (index[0] == 0 || index[0] == -1):
		r.set(n, v.with(axes))
		return nil
	case a.label != timeAxis || index[0] != -1 && (a.size < 0 || index[0] != int64(a.size-1)):
		return fmt.Errorf("it takes element %d of the axis %c: only the last step has a layer", index[0], a.label)
	}
	return takeLastStep(r, n, v, axes)
}

// stackStates reports whether a node joins the last states of several layers, and notes them. A Gather takes one of
// them later.
func stackStates(r *reader, n *onnxfile.Node) bool {
	for _, name := range n.Inputs {
		v := r.values[name]
		if v == nil || v.recurrent != nil || len(v.axes) != 3 || v.axes[0] != (axis{directionAxis, 1}) {
			return false
		}
	}
	if len(n.Inputs) < 2 || attributeInt(n, "axis", 1) != 0 {
		return false
	}
	r.stacks[n.Outputs[0]] = n.Inputs
	return true
}

// pickState reads the Gather of one layer's last state.
func pickState(r *reader, n *onnxfile.Node, names []string) error {
	c := r.constants[n.Inputs[1]]
	if c == nil || attributeInt(n, "axis", 0) != 0 {
		return errors.New("it takes other than the last state of one layer")
	}
	index, err := c.ints()
	if err != nil || len(index) != 1 {
		return errors.New("it takes other than the last state of one layer")
	}
	k, err := axisIndex(index[0], len(names))
	if err != nil {
		return err
	}
	v := *r.values[names[k]]
	if v.shared = true; c.rank() == 0 {
		v.axes = v.axes[1:]
	}
	r.set(n, &v)
	return nil
}

// takeLastStep selects the last step of sequences.
func takeLastStep(r *reader, n *onnxfile.Node, v *value, axes []axis) error {
	if v.recurrent != nil {
		return errors.New("the last step is taken of the directions of a recurrent layer before they are joined")
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.LastTimeStep{}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}

// readEmbedding reads a lookup in a table of weights.
func readEmbedding(r *reader, n *onnxfile.Node) error {
	w, dims, err := r.weights(n, 0, 2)
	if err != nil {
		return err
	}
	v, err := r.operand(n, 1)
	if err != nil {
		return err
	}
	if attributeInt(n, "axis", 0) != 0 {
		return errors.New("it takes columns of a table")
	}
	params := map[string][]float32{"W": transposed(w, dims[0], dims[1])} // stored as [out, in]
	var l layer.Layer
	var axes []axis
	features := axis{featureAxis, dims[1]}
	switch v.labels() {
	case "b":
		l, axes = layer.NewEmbedding(dims[0], dims[1]), []axis{v.axes[0], features}
	case "bt":
		l, axes = layer.NewEmbeddingSequence(dims[0], dims[1]), []axis{v.axes[0], v.axes[1], features}
	case "tb":
		l, axes = layer.NewEmbeddingSequence(dims[0], dims[1]), []axis{v.axes[0], v.axes[1], features}
	default:
		return fmt.Errorf("the indices have the axes %q: one of each example, or of each step, should be here", v.labels())
	}
	if k, computed := r.at[v.from]; computed {
		if _, column := r.vertices[k].Vertex.(vertex.Subset); !column {
			return errors.New("the indices should be an input of the model, or a column of one")
		}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}
