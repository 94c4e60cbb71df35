package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// readPass reads an operator that has no effect in inference.
func readPass(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err == nil {
		r.set(n, v)
	}
	return err
}

// readCast reads a change of type. A network's activations are always float32.
func readCast(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	switch to := onnxfile.DataType(attributeInt(n, "to", 0)); to {
	case onnxfile.Float, onnxfile.Double, onnxfile.Float16, onnxfile.Bfloat16:
	case onnxfile.Int64, onnxfile.Int32:
		if next := firstReader(r, n.Outputs[0]); next == nil || next.Op != "Gather" && next.Op != "Squeeze" {
			return errors.New("activations become whole numbers, and are no indices")
		}
	default:
		return fmt.Errorf("activations become %v", to)
	}
	r.set(n, v)
	return nil
}

// readTranspose permutes the axes of a value, but not the network's.
func readTranspose(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	perm, err := permutation(n, len(v.axes))
	if err != nil {
		return err
	}
	axes := make([]axis, len(perm))
	for i, p := range perm {
		axes[i] = v.axes[p]
	}
	r.set(n, v.with(axes))
	return nil
}

// readSqueeze reads Squeeze and Unsqueeze.
func readSqueeze(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	list, err := r.list(n, "axes", 1)
	if err != nil {
		return err
	}
	unit := func(a axis) bool {
		return a.label == unitAxis || a.size == 1 && (a.label == directionAxis || a.label == featureAxis)
	}
	axes, err := resized(n.Op, v.axes, list, axis{unitAxis, 1}, unit)
	if err != nil {
		return err
	}
	r.set(n, v.with(axes))
	return nil
}

// readFlatten flattens a value to vectors.
func readFlatten(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if at, err := axisIndex(attributeInt(n, "axis", 1), len(v.axes)+1); err != nil || at != 1 {
		return errors.New("the axis should be 1, behind that of the examples")
	}
	return toVectors(r, n, v)
}

// toVectors flattens all axes except the first.
func toVectors(r *reader, n *onnxfile.Node, v *value) error {
	axes := slices.DeleteFunc(slices.Clone(v.axes), func(a axis) bool { return a.label == unitAxis })
	v = v.with(axes)
	switch {
	case v.recurrent != nil:
		return errors.New("the directions of a recurrent layer are flattened")
	case len(axes) == 0 || axes[0].label != batchAxis:
		return errors.New("the examples should be the first dimension")
	case len(axes) == 2 && axes[1].label == featureAxis:
		r.set(n, v)
		return nil
	case slices.ContainsFunc(axes, func(a axis) bool { return a.label == timeAxis }):
		return flattenSteps(r, n, v)
	}
	t := r.types[v.from]
	natural := axesOf(t)
	var dims, perm []int
	for _, a := range natural[1:] {
		if a.size < 1 {
			return errors.New("the extents of an image are not known")
		}
		dims = append(dims, a.size)
	}
	for _, a := range axes[1:] {
		perm = append(perm, slices.IndexFunc(natural[1:], func(b axis) bool { return a.label == b.label }))
	}
	if len(perm) != len(dims) || slices.Contains(perm, -1) {
		return fmt.Errorf("the axes %q cannot become vectors", v.labels())
	}
	size := t.Elements()
	out := &value{from: v.from, axes: []axis{{batchAxis, -1}, {featureAxis, size}}}
	if !slices.IsSorted(perm) {
		if size > maxFolded*64 {
			return errors.New("an image is too large to be put into another order")
		}
		out.order = places(dims, perm)
	}
	// A layer that takes vectors inserts the preprocessor itself; settled does so for other uses.
	r.set(n, out)
	return nil
}

// flattenSteps makes vectors of sequences of a fixed length.
func flattenSteps(r *reader, n *onnxfile.Node, v *value) error {
	natural := axesOf(r.types[v.from])
	if len(v.axes) != 3 || v.order != nil || slices.ContainsFunc(v.axes[1:], func(a axis) bool { return a.size < 1 }) {
		return errors.New("sequences of an open length become vectors: export the model with a fixed length, or without " +
			"dynamic axes")
	}
	to := vertex.Rearrange{Shape: []int{v.axes[1].size * v.axes[2].size}}
	if v.axes[1].label != natural[1].label {
		to.Order = []int{2, 1}
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: to, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, r.whole(name))
	return nil
}

// readReshape reads a Reshape for which there is a layer: to vectors, to images, and of axes of extent 1.
func readReshape(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	shape, err := r.list(n, "shape", 1)
	if err != nil {
		return err
	}
	if shape == nil {
		return errors.New("the shape should be a constant")
	}
	to := make([]int, len(shape)) // −1 for an open extent
	for i, d := range shape {
		switch {
		case d == 0 && attributeInt(n, "allowzero", 0) == 0 && i < len(v.axes):
			to[i] = v.axes[i].size
		case d == unknown || d == -1:
			to[i] = -1
		case d < 1 || d > maxExtent:
			return fmt.Errorf("the shape %v has the extent %d", shape, d)
		default:
			to[i] = int(d)
		}
	}
	if v.recurrent != nil {
		return joinDirections(r, n, v, to)
	}
	if v.groups > 0 {
		return fromGroups(r, n, v, to)
	}
	if toGroups(r, n, v, to) {
		return nil
	}
	wide := slices.DeleteFunc(slices.Clone(v.axes), func(a axis) bool {
		return a.label == unitAxis || a.label == directionAxis && a.size == 1
	})
	switch {
	case len(to) == 2 && len(wide) > 0 && wide[0].label == batchAxis && (to[0] == -1 || to[0] == 1):
		return toVectors(r, n, v)
	case v.labels() == "bf" && len(to) == 4 && v.order == nil && r.types[v.from].Kind != inputtype.RecurrentKind:
		return toImages(r, n, v, to)
	case fits(wide, to):
		return toUnits(r, n, v, wide, to)
	}
	return fmt.Errorf("axes %q of %v become the shape %v, for which there is no layer", v.labels(), sizesOf(v.axes), to)
}

func sizesOf(axes []axis) []int {
	var out []int
	for _, a := range axes {
		out = append(out, a.size)
	}
	return out
}

// fits reports whether a shape has the extents of the axes, with ones inserted or left out.
func fits(axes []axis, to []int) bool {
	i := 0
	for _, d := range to {
		switch {
		case i < len(axes) && (d == axes[i].size || d == -1 || axes[i].size == -1):
			i++
		case d != 1:
			return false
		}
	}
	return i == len(axes)
}

// toUnits changes the axes of extent 1.
func toUnits(r *reader, n *onnxfile.Node, v *value, axes []axis, to []int) error {
	var out []axis
	for _, d := range to {
		if len(axes) > 0 && (d == axes[0].size || d == -1 || axes[0].size == -1) {
			out, axes = append(out, axes[0]), axes[1:]
			continue
		}
		out = append(out, axis{unitAxis, 1})
	}
	r.set(n, v.with(out))
	return nil
}

// toImages turns vectors into images.
func toImages(r *reader, n *onnxfile.Node, v *value, to []int) error {
	size := r.types[v.from].Elements()
	c, h, w := to[1], to[2], to[3]
	for _, d := range []*int{&c, &h, &w} {
		if rest := c * h * w; *d == -1 && rest < 0 && size%-rest == 0 {
			*d = size / -rest
		}
	}
	if c < 1 || h < 1 || w < 1 || c*h*w != size || to[0] > 1 {
		return fmt.Errorf("vectors of %d become %v", size, to)
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.Preprocessor{Preprocessor: layer.FeedForwardToCnn{Height: h,
		Width:    w,
		Channels: c}}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, r.whole(name))
	return nil
}

// readConcat joins values along their features or channels.
func readConcat(r *reader, n *onnxfile.Node) error {
	if stackStates(r, n) {
		return nil
	}
	var inputs []string
	var first *value
	for i := range n.Inputs {
		v, err := r.operand(n, i)
		if err != nil {
			return err
		}
		if v.recurrent != nil && i == 0 {
			at, err := axisIndex(attributeInt(n, "axis", 1), len(v.axes))
			if err != nil {
				return err
			}
			return concatDirections(r, n, at)
		}
		if v.order != nil || v.recurrent != nil || first != nil && v.labels() != first.labels() {
			return errors.New("the values lie in other orders of axes")
		}
		if first == nil {
			first = v
		}
		inputs = append(inputs, v.from)
	}
	if first == nil {
		return errors.New("there is nothing to join")
	}
	at, err := axisIndex(attributeInt(n, "axis", 1), len(first.axes))
	if err != nil {
		return err
	}
	label := first.axes[at].label
	natural := axesOf(r.types[first.from])
	place := slices.IndexFunc(natural, func(a axis) bool { return a.label == label })
	if place < 1 || label != featureAxis && label != channelAxis {
		return fmt.Errorf("they are joined along the axis %d of %q: only features and channels are", at, first.labels())
	}
	for i, name := range inputs { // images that the model flattens are vectors here
		if inputs[i], err = asVector(r, n, name, first); err != nil {
			return err
		}
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.Merge{Axis: place, Modified: place != 1}, Inputs: inputs}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, first)
	r.set(n, y)
	return err
}

// asVector returns a vertex that flattens images, if the model flattens them.
func asVector(r *reader, n *onnxfile.Node, from string, v *value) (string, error) {
	t := r.types[from]
	if v.labels() != "bf" || t.Kind != inputtype.ConvolutionalKind && t.Kind != inputtype.Convolutional3DKind {
		return from, nil
	}
	return r.add(n, nn.GraphVertex{Vertex: vertex.Preprocessor{Preprocessor: layer.ToRows(t)}, Inputs: []string{from}},
		nil)
}
