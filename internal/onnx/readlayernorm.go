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

// leastEps takes the place of an ε of 0, which layers do not have.
const leastEps = 1e-12

// readLayerNorm reads a layer normalisation: over the dimensions from its axis on, or over those of the attribute axes
// that joinNormalizations gives.
func readLayerNorm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if v, err = r.settled(n, v); err != nil {
		return err
	}
	for _, name := range n.Outputs[1:] {
		if name != "" && r.readers[name] > 0 {
			return errors.New("its mean or its deviation is read: no layer gives it")
		}
	}
	var at []int
	if a := n.Attribute("axes"); a != nil {
		for _, k := range a.Ints {
			i, err := axisIndex(k, len(v.axes))
			if err != nil {
				return err
			}
			at = append(at, i)
		}
	} else {
		first, err := axisIndex(attributeInt(n, "axis", -1), len(v.axes))
		if err != nil {
			return err
		}
		for i := first; i < len(v.axes); i++ {
			at = append(at, i)
		}
	}
	l := layer.LayerNormalization{Eps: max(attributeFloat(n, "epsilon", 1e-5), leastEps), NoScale: true, NoCenter: true}
	order, err := normalizedAxes(r, v, at, &l)
	if err != nil {
		return err
	}
	params := map[string][]float32{}
	for i, name := range []string{"gamma", "beta"} {
		if !given(n, i+1) {
			continue
		}
		if params[name], err = factorsOf(r, n, i+1, l.Shape, order); err != nil {
			return err
		}
	}
	l.NoScale, l.NoCenter = params["gamma"] == nil, params["beta"] == nil
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readL2Norm reads a division by the Euclidean norm.
func readL2Norm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if v, err = r.settled(n, v); err != nil {
		return err
	}
	list := []int64{attributeInt(n, "axis", -1)}
	if a := n.Attribute("axes"); a != nil {
		list = a.Ints
	}
	var at []int
	for _, k := range list {
		i, err := axisIndex(k, len(v.axes))
		if err != nil {
			return err
		}
		at = append(at, i)
	}
	var of layer.LayerNormalization
	if _, err := normalizedAxes(r, v, at, &of); err != nil {
		return err
	}
	if attributeInt(n, "p", 2) != 2 {
		return errors.New("it is by another norm than the Euclidean one")
	}
	l2 := vertex.L2Normalize{Dimensions: of.Axes, Eps: attributeFloat(n, "epsilon", leastEps)}
	name, err := r.add(n, nn.GraphVertex{Vertex: l2, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// normalizedAxes sets the axes of a layer, in the network's order, to those of a value. order has, for each of them,
// its place among the given ones.
func normalizedAxes(r *reader, v *value, at []int, l *layer.LayerNormalization) (order []int, err error) {
	natural := axesOf(r.types[v.from])
	var place []int
	for _, i := range at {
		a := v.axes[i]
		if a.label == unitAxis {
			return nil, fmt.Errorf("it normalises an axis of %q that the network does not have", v.labels())
		}
		k := slices.IndexFunc(natural, func(b axis) bool { return a.label == b.label })
		if k < 1 || a.size < 1 || v.recurrent != nil {
			return nil, fmt.Errorf("it normalises the axis %c of %q: axes of a known extent should be here", a.label,
				v.labels())
		}
		place = append(place, k)
		order = append(order, len(order))
	}
	slices.SortFunc(order, func(a, b int) int { return place[a] - place[b] })
	for _, k := range order {
		l.Axes, l.Shape = append(l.Axes, place[k]), append(l.Shape, v.axes[at[k]].size)
	}
	return order, nil
}

// factorsOf returns a constant operand with an element for each normalised element, in the network's order.
func factorsOf(r *reader, n *onnxfile.Node, i int, shape, order []int) ([]float32, error) {
	c := r.constants[n.Inputs[i]]
	if c == nil {
		return nil, fmt.Errorf("operand %d should be a constant: a layer has weights of its own", i)
	}
	x, _, err := c.numbers()
	if err == nil && len(x) != elementsOf(shape) {
		err = fmt.Errorf("operand %d has %d elements, for axes of %v", i, len(x), shape)
	}
	if err != nil {
		return nil, err
	}
	return ordered(x, shape, order), nil
}

func elementsOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// ordered puts an array's dimensions into the network's order, in which it has the given shape. order has the place
// of each dimension in the model.
func ordered(x []float32, shape, order []int) []float32 {
	if slices.IsSorted(order) {
		return x
	}
	dims := make([]int, len(shape))
	for k, place := range order {
		dims[place] = shape[k]
	}
	out := make([]float32, len(x))
	for k, place := range places(dims, order) {
		out[k] = x[place]
	}
	return out
}

// normalizesWith gives a normalisation without factors the factors, or the summands, of the node that follows. dims
// are the dimensions of these numbers. ok is false for another layer, and for other numbers.
func normalizesWith(r *reader, m *made, v *value, op string, x []float32, dims []int) (ok bool) {
	lead := len(v.axes) - len(dims)
	if lead < 0 {
		return false
	}
	var at []int
	for k, d := range dims {
		if d != 1 {
			at = append(at, lead+k)
		}
	}
	var of layer.LayerNormalization
	order, err := normalizedAxes(r, v, at, &of)
	if err != nil || len(x) != elementsOf(of.Shape) {
		return false
	}
	switch l := m.Layer.(type) {
	case layer.LayerNormalization:
		if ok = slices.Equal(l.Axes, of.Axes) && slices.Equal(l.Shape, of.Shape) &&
			withFactors(m, op, &l.NoScale, &l.NoCenter, ordered(x, of.Shape, order)); ok {
			m.Layer = l
		}
	case layer.GroupNormalization:
		a := v.axes[at[0]]
		if ok = len(at) == 1 && (a.label == channelAxis || a.label == featureAxis) && l.NIn == len(x) &&
			withFactors(m, op, &l.NoScale, &l.NoCenter, x); ok {
			m.Layer = l
		}
	}
	return ok
}

func withFactors(m *made, op string, noScale, noCenter *layer.Not, x []float32) bool {
	if m.params == nil {
		m.params = map[string][]float32{}
	}
	switch {
	case op == "Mul" && bool(*noScale) && bool(*noCenter):
		m.params["gamma"], *noScale = x, false
	case op == "Add" && bool(*noCenter):
		m.params["beta"], *noCenter = x, false
	default:
		return false
	}
	return true
}
