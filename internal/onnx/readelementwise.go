package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// readArithmetic reads a sum, difference, product or quotient of two activations, or of an activation and a constant.
func readArithmetic(r *reader, n *onnxfile.Node) error {
	if len(n.Inputs) != 2 {
		return errors.New("it should have two operands")
	}
	for i, name := range n.Inputs {
		if c := r.constants[name]; c != nil {
			return withConstant(r, n, c, 1-i)
		}
	}
	return readCombination(r, n)
}

// readCombination reads an operator on several activations.
func readCombination(r *reader, n *onnxfile.Node) error {
	if n.Op == "Div" || n.Op == "Min" {
		return combineOthers(r, n)
	}
	op, ok := map[string]vertex.Operation{"Add": vertex.Add, "Sum": vertex.Add, "Sub": vertex.Subtract,
		"Mul": vertex.Product,
		"Max": vertex.Max, "Mean": vertex.Average}[n.Op]
	if !ok {
		return errors.New("it has no vertex")
	}
	var first *value
	var values []*value
	var inputs []string
	for i := range n.Inputs {
		v, err := r.operand(n, i)
		if err != nil {
			return err
		}
		if v.recurrent != nil {
			return combineDirections(r, n)
		}
		if v, err = r.settled(n, v); err != nil {
			return err
		}
		values = append(values, v)
	}
	if err := spreadPooled(r, n, values); err != nil {
		return err
	}
	for _, v := range values {
		if first == nil {
			first = v
		}
		if v.labels() != first.labels() {
			return fmt.Errorf("the axes %q and %q should be in one order", first.labels(), v.labels())
		}
		inputs = append(inputs, v.from)
	}
	if len(inputs) < 2 {
		return errors.New("it should have two operands or more")
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.ElementWise{Op: op}, Inputs: inputs}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, first)
	r.set(n, y)
	return err
}

// combineOthers reads a quotient as a product with the reciprocal, and a minimum as −max(−x, …).
func combineOthers(r *reader, n *onnxfile.Node) error {
	joined := &onnxfile.Node{Op: "Mul", Name: n.Name, Inputs: slices.Clone(n.Inputs), Outputs: n.Outputs}
	within := func(k int) string { return fmt.Sprintf("%s\x00%d", n.Outputs[0], k) } // no name in a model
	if n.Op == "Div" {
		joined.Inputs[1] = within(1)
		below := &onnxfile.Node{Op: "Reciprocal", Name: n.Name, Inputs: n.Inputs[1:], Outputs: joined.Inputs[1:]}
		if err := addActivation(r, below, activation.Formula{Text: "reciprocal(z)"}); err != nil {
			return err
		}
		return readCombination(r, joined)
	}
	negative := func(of, out string) error {
		node := &onnxfile.Node{Op: "Mul", Name: n.Name, Inputs: []string{of}, Outputs: []string{out}}
		v, err := r.operand(node, 0)
		if err != nil {
			return err
		}
		return withNumber(r, node, v, -1, 0)
	}
	joined.Op, joined.Outputs = "Max", []string{within(len(n.Inputs))}
	for i, name := range n.Inputs {
		if err := negative(name, within(i)); err != nil {
			return err
		}
		joined.Inputs[i] = within(i)
	}
	if err := readCombination(r, joined); err != nil {
		return err
	}
	return negative(joined.Outputs[0], n.Outputs[0])
}

// combineDirections reads the sum or the product of the directions of a recurrent layer.
func combineDirections(r *reader, n *onnxfile.Node) error {
	mode, ok := map[string]layer.BidirectionalMode{"Add": layer.BidirectionalAdd, "Sum": layer.BidirectionalAdd,
		"Mul": layer.BidirectionalMul, "Mean": layer.BidirectionalAverage}[n.Op]
	var ways [2]*value
	for i := range ways {
		if i < len(n.Inputs) {
			ways[i] = r.values[n.Inputs[i]]
		}
	}
	a, b := ways[0], ways[1]
	if !ok || len(n.Inputs) != 2 || a == nil || b == nil || a.recurrent == nil || a.recurrent != b.recurrent ||
		a.way+b.way != 3 ||
		a.labels() != b.labels() {
		return errors.New("the directions of a recurrent layer are combined in a way that no layer has")
	}
	k := slices.IndexFunc(a.axes, func(x axis) bool { return x.label == directionAxis })
	axes := slices.Clone(a.axes)
	if k >= 0 {
		axes[k] = axis{unitAxis, 1}
	}
	return addJoined(r, n, a, axes, mode)
}

// withConstant reads an operation with a constant. It is the bias of the layer before, the scaling of an input or an
// output, a factor, a summand, or a factor and a summand for each channel.
func withConstant(r *reader, n *onnxfile.Node, c *constant, i int) error {
	v, err := r.operand(n, i)
	if err != nil {
		return err
	}
	x, dims, err := c.numbers()
	if err != nil {
		return err
	}
	if i == 1 && (n.Op == "Sub" || n.Op == "Div") {
		return errors.New("a constant less, or divided by, an activation has no layer")
	}
	if len(x) == 1 {
		return withNumber(r, n, v, float64(x[0]), i)
	}
	if m := r.last(n, i); m != nil && normalizesWith(r, m, v, n.Op, x, dims) {
		r.set(n, v)
		return nil
	}
	if err := alongFeatures(v, dims); err != nil {
		return err
	}
	if r.rescaled.input(r, n, v, x) {
		r.set(n, v)
		return nil
	}
	if m := r.last(n, i); m != nil && n.Op == "Add" && addBias(r, m, x) {
		r.set(n, v)
		return nil
	}
	if m := r.last(n, i); m != nil && m.affine && scaleAgain(m, n.Op, x) {
		r.set(n, v)
		return nil
	}
	return addAffine(r, n, v, x)
}

// alongFeatures requires a constant with an element for each feature or channel.
func alongFeatures(v *value, dims []int) error {
	lead := len(v.axes) - len(dims)
	for k, d := range dims {
		if lead+k < 0 {
			return fmt.Errorf("a constant has the dimensions %v", dims)
		}
		a := v.axes[lead+k]
		if d != 1 && (a.label != featureAxis && a.label != channelAxis || a.size != d) {
			return fmt.Errorf("a constant has the dimensions %v, beside the axes %q: one element for each "+
				"feature should be there", dims,
				v.labels())
		}
	}
	return nil
}

// withNumber reads an operation with a single number.
func withNumber(r *reader, n *onnxfile.Node, v *value, x float64, i int) error {
	var add vertex.Vertex
	switch n.Op {
	case "Add":
		add = vertex.Shift{By: x}
	case "Sub":
		add = vertex.Shift{By: -x}
	case "Mul":
		add = vertex.Scale{Factor: x}
	default:
		add = vertex.Scale{Factor: 1 / x}
	}
	if s, ok := add.(vertex.Scale); ok && (s.Factor == 0 || math.IsInf(s.Factor, 0) || s.Factor != s.Factor) {
		return fmt.Errorf("the factor is %v", s.Factor)
	}
	if (n.Op == "Add" || n.Op == "Sub") && x == 0 || (n.Op == "Mul" || n.Op == "Div") && x == 1 {
		r.set(n, v)
		return nil
	}
	v, err := r.settled(n, v)
	if err != nil {
		return err
	}
	if v.recurrent != nil {
		return errors.New("the directions of a recurrent layer are not joined yet")
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: add, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}
