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

// readSlice reads the selection of a range of features or of the last step, or the cropping of a border.
func readSlice(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	lists, err := sliceLists(r, n)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(lists[3], func(s int64) bool { return s != 1 }) {
		return errors.New("it does not take ranges in steps of 1")
	}
	for i := range lists[0] {
		if v, err = takeRange(r, n, v, lists[0][i], lists[1][i], lists[2][i]); err != nil {
			return err
		}
	}
	r.set(n, v)
	return nil
}

// sliceLists returns the starts, ends, axes and steps of a Slice. The steps are nil if it has none.
func sliceLists(r *reader, n *onnxfile.Node) (lists [4][]int64, err error) {
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if lists[i], err = r.list(n, name, i+1); err != nil {
			return lists, err
		}
	}
	if lists[2] == nil {
		for i := range lists[0] {
			lists[2] = append(lists[2], int64(i))
		}
	}
	if size := len(lists[0]); size == 0 || size > maxRank || len(lists[1]) != size || len(lists[2]) != size ||
		lists[3] != nil && len(lists[3]) != size {
		return lists, errors.New("it does not take ranges")
	}
	return lists, nil
}

// takeRange selects a range of one axis.
func takeRange(r *reader, n *onnxfile.Node, v *value, from, to, along int64) (*value, error) {
	at, err := axisIndex(along, len(v.axes))
	if err != nil {
		return nil, err
	}
	if v, err = r.settled(n, v); err != nil {
		return nil, err
	}
	if v.recurrent != nil {
		return nil, errors.New("it cuts the directions of a recurrent layer")
	}
	a := v.axes[at]
	if a.label == timeAxis && from == -1 && to > 1<<30 {
		return lastAsSequence(r, n, v, at)
	}
	if a.size < 0 && from == 0 && to > maxExtent { // as x[:, :] in Python
		return v, nil
	}
	if border := to < 0 && to > -maxExtent || to > maxExtent; a.size < 0 && a.label == timeAxis && border && from >= 0 &&
		from < maxExtent {
		cut := layer.Cropping1D{Cropping: [2]int{int(from), int(max(-to, 0))}}
		name, err := r.add(n, nn.GraphVertex{Layer: cut, Inputs: []string{v.from}}, nil)
		if err != nil {
			return nil, err
		}
		return r.like(name, v)
	}
	if a.size < 0 {
		return nil, fmt.Errorf("it cuts the axis %c, whose extent is open", a.label)
	}
	clamp := func(i int64) int {
		if i < 0 {
			i += int64(a.size)
		}
		return int(max(0, min(i, int64(a.size))))
	}
	first, end := clamp(from), clamp(to)
	switch {
	case first == 0 && end == a.size:
		return v, nil
	case first >= end:
		return nil, fmt.Errorf("it takes nothing of the axis %c", a.label)
	}
	var x nn.GraphVertex
	natural := axesOf(r.types[v.from])
	switch before, after := first, a.size-end; a.label {
	case featureAxis, channelAxis:
		if natural[1].label != a.label {
			return nil, errors.New("it takes a range of features that are in the last dimension of the network's arrays")
		}
		x.Vertex = vertex.Subset{From: first, To: end - 1}
	case timeAxis:
		x.Layer = layer.Cropping1D{Cropping: [2]int{before, after}}
	case heightAxis:
		x.Layer = layer.Cropping2D{Cropping: [4]int{before, after, 0, 0}}
	case widthAxis:
		x.Layer = layer.Cropping2D{Cropping: [4]int{0, 0, before, after}}
	default:
		return nil, fmt.Errorf("it cuts the axis %c", a.label)
	}
	if (a.label == heightAxis || a.label == widthAxis) && len(natural) == 5 {
		return nil, errors.New("it cuts volumes")
	}
	x.Inputs = []string{v.from}
	name, err := r.add(n, x, nil)
	if err != nil {
		return nil, err
	}
	return r.like(name, v)
}

// lastAsSequence selects the last step, which the model keeps as a sequence of one step.
func lastAsSequence(r *reader, n *onnxfile.Node, v *value, at int) (*value, error) {
	axes := slices.Clone(v.axes)
	axes[at] = axis{unitAxis, 1}
	if err := takeLastStep(r, n, v, axes); err != nil {
		return nil, err
	}
	return r.values[n.Outputs[0]], nil
}

// readSplit reads a Split of features, or of the directions of a recurrent layer.
func readSplit(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	at, err := axisIndex(attributeInt(n, "axis", 0), len(v.axes))
	if err != nil {
		return err
	}
	sizes, err := r.list(n, "split", 1)
	if err != nil {
		return err
	}
	a, parts := v.axes[at], len(n.Outputs)
	if sizes == nil && a.size > 0 && parts > 0 && a.size%parts == 0 {
		for range parts {
			sizes = append(sizes, int64(a.size/parts))
		}
	}
	if len(sizes) != parts {
		return errors.New("the sizes of its parts are not known")
	}
	if a.label == directionAxis && v.recurrent != nil && parts == 2 {
		axes := slices.Clone(v.axes)
		axes[at].size = 1
		for i, name := range n.Outputs {
			w := v.with(axes)
			w.way = i + 1
			r.values[name] = w
		}
		return nil
	}
	from := int64(0)
	for i, name := range n.Outputs {
		if sizes[i] < 1 || sizes[i] > int64(a.size) {
			return fmt.Errorf("a part of its has the size %d", sizes[i])
		}
		to := from + sizes[i]
		if name != "" && r.readers[name] > 0 {
			part := &onnxfile.Node{Op: n.Op, Name: fmt.Sprintf("%s_%d", n.Name, i), Inputs: n.Inputs, Outputs: []string{name}}
			w, err := takeRange(r, part, v, from, to, int64(at))
			if err != nil {
				return err
			}
			r.set(part, w)
		}
		from = to
	}
	return nil
}
