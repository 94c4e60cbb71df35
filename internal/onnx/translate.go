package onnx

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// translation writes the operations of a program, lowered at every point, into a graph.
type translation struct {
	*graph
	first *program.Program
	twins [][]*program.Value // at every point, by the first program's IDs
	known map[int]activationOf
	names map[int]string // of values in the graph, by ID
	uses  []int          // of each value, by ID
}

func (g *graph) translation(programs []*program.Program, twins [][]*program.Value,
	known map[int]activationOf) *translation {
	t := &translation{graph: g, first: programs[0], twins: twins, known: known, names: map[int]string{},
		uses: make([]int, len(programs[0].Values))}
	for _, n := range programs[0].Nodes {
		for _, v := range n.In {
			t.uses[v.ID]++
		}
	}
	for _, o := range programs[0].Outputs {
		t.uses[o.Value.ID]++
	}
	return t
}

// extents returns a value's extents at every point.
func (t *translation) extents(v *program.Value) []extent {
	out := make([]extent, len(v.Shape))
	for i := range out {
		for _, values := range t.twins {
			out[i] = append(out[i], values[v.ID].Shape[i])
		}
	}
	return out
}

// opsOf returns a node's operation at every point.
func opsOf[O program.Op](t *translation, n *program.Node) []O {
	var list []O
	for _, values := range t.twins {
		list = append(list, values[n.Out[0].ID].Node.Op.(O))
	}
	return list
}

// value returns the name of a value in the graph. It first writes the nodes that compute it.
func (t *translation) value(v *program.Value) (string, error) {
	if name, ok := t.names[v.ID]; ok {
		return name, nil
	}
	name, err := t.write(v)
	if err == nil {
		t.names[v.ID] = name
	}
	return name, err
}

func (t *translation) write(v *program.Value) (string, error) {
	switch v.Kind {
	case program.FromConst:
		return t.constant(v)
	case program.FromNode:
		if a, ok := t.known[v.ID]; ok {
			x, err := t.value(t.first.Values[a.of])
			if err != nil {
				return "", err
			}
			if name, ok := t.activation(a.kind, x); ok {
				return name, nil
			}
		}
		return t.operation(v)
	}
	return "", fmt.Errorf("internal: a value %v that is nowhere", v)
}

// values returns the names of several values.
func (t *translation) values(list []*program.Value) ([]string, error) {
	names := make([]string, len(list))
	for i, v := range list {
		name, err := t.value(v)
		if err != nil {
			return nil, err
		}
		names[i] = name
	}
	return names, nil
}

// constant returns a constant with all its elements.
func (t *translation) constant(v *program.Value) (string, error) {
	extents := t.extents(v)
	same := true
	for _, e := range extents {
		same = same && e.fixed()
	}
	if same && (len(v.Const) > 1 || v.Shape.Size() == 1) {
		return t.reals(narrow(v.Const), v.Shape...), nil
	}
	shape, err := t.shape(extents)
	if err != nil {
		return "", err
	}
	if len(v.Const) > 1 {
		return t.steps(v, shape)
	}
	return t.top("Expand", "fill", []string{t.scalar(v.Const[0]), shape}), nil
}

// steps returns an arithmetic progression with an open length.
func (t *translation) steps(v *program.Value, shape string) (string, error) {
	var first, end extent
	_, step, _ := progression(v.Const)
	for _, values := range t.twins {
		c := values[v.ID].Const
		first, end = append(first, int(c[0])), append(end, int(c[0]+float64(len(c))*step))
		if c[0] != math.Trunc(c[0]) || step != math.Trunc(step) {
			return "", errDiffers
		}
	}
	var bounds []string
	for _, e := range []extent{first, end, extent(repeat(int(step), len(t.points)))} {
		one, err := t.shape([]extent{e})
		if err != nil {
			return "", err
		}
		bounds = append(bounds, t.top("Squeeze", "size", []string{one}))
	}
	list := t.top("Cast", "size", []string{t.top("Range", "size", bounds)}, integer("to", int(onnxfile.Float)))
	return t.top("Reshape", "size", []string{list, shape}), nil
}

// operand is value for operands of broadcasting operations: a filled constant becomes one number.
func (t *translation) operand(v *program.Value, n *program.Node) (string, error) {
	if v.Kind != program.FromConst || len(v.Const) != 1 {
		return t.value(v)
	}
	rest := tensor.Shape{}
	var err error
	for _, w := range n.In {
		if w != v && err == nil {
			rest, err = program.Broadcast(rest, w.Shape)
		}
	}
	if err == nil && rest.Equal(n.Out[0].Shape) {
		return t.scalar(v.Const[0]), nil
	}
	return t.value(v)
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i := range x {
		out[i] = float32(x[i])
	}
	return out
}

var unaryOps = map[program.UnaryKind]string{program.Neg: "Neg", program.Abs: "Abs", program.Sign: "Sign",
	program.Sqrt: "Sqrt", program.Reciprocal: "Reciprocal", program.Exp: "Exp", program.Log: "Log", program.Tanh: "Tanh",
	program.Sigmoid: "Sigmoid", program.Softplus: "Softplus", program.Floor: "Floor"}

var binaryOps = map[program.BinaryKind]string{program.Add: "Add", program.Sub: "Sub", program.Mul: "Mul",
	program.Div: "Div", program.Maximum: "Max", program.Minimum: "Min", program.Pow: "Pow", program.Greater: "Greater",
	program.GreaterEqual: "GreaterOrEqual", program.Equal: "Equal"}

// operation writes the operation that computes a value.
func (t *translation) operation(v *program.Value) (string, error) {
	n := v.Node
	switch op := n.Op.(type) {
	case program.Scan:
		return t.scan(v)
	case program.Binary:
		return t.binary(n, op.Kind)
	case program.Select:
		return t.choose(n)
	case program.Reshape:
		return t.reshape(n)
	case program.BroadcastTo:
		return t.expand(n)
	case program.MatMul:
		return t.product(n, op, nil)
	}
	in, err := t.values(n.In)
	if err != nil {
		return "", err
	}
	switch op := n.Op.(type) {
	case program.Unary:
		return t.unary(op.Kind, in[0]), nil
	case program.StopGradient, program.WithGradient:
		return in[0], nil
	case program.Transpose:
		return t.node("Transpose", in, integers("perm", op.Perm.List()...)), nil
	case program.Slice:
		return t.slice(n, in[0])
	case program.Pad:
		return t.pad(n, op, in[0])
	case program.Concat:
		return t.node("Concat", in, integer("axis", op.Dim)), nil
	case program.Split:
		attributes := []*onnxfile.Attribute{integer("axis", op.Dim)}
		if t.opset >= 18 {
			attributes = append(attributes, integer("num_outputs", op.Parts))
		}
		parts := t.nodes("Split", in, op.Parts, attributes...)
		for i, w := range n.Out {
			t.names[w.ID] = parts[i]
		}
		return parts[v.Index], nil
	case program.Reduce:
		return t.reduce(op, in[0]), nil
	case program.Softmax:
		return t.node("Softmax", in, integer("axis", op.Dim)), nil
	case program.Reverse:
		if len(in) == 1 {
			return t.node("Slice", []string{in[0], t.ints(-1), t.ints(math.MinInt64), t.ints(int64(op.Dim)), t.ints(-1)}), nil
		}
	case program.Lookup:
		index := t.node("Cast", in[1:], integer("to", int(onnxfile.Int64)))
		return t.node("Gather", []string{t.node("Transpose", in[:1], integers("perm", 1, 0)), index}, integer("axis", 0)), nil
	case program.Conv2D:
		return t.convolution(n, op, in)
	case program.DepthwiseConv2D:
		return groupedConvolution(t, n, op, in)
	case program.Conv2DGradInput:
		return t.deconvolution(n, op, in)
	case program.Pool2D:
		return t.pool(n, op, in[0])
	}
	return "", fmt.Errorf("ONNX has no operator for its operation %s", n.Op.Name())
}

func (t *translation) unary(kind program.UnaryKind, x string) string {
	switch kind {
	case program.Square:
		return t.node("Mul", []string{x, x})
	case program.Expm1:
		return t.node("Sub", []string{t.node("Exp", []string{x}), t.scalar(1)})
	case program.Log1p:
		return t.node("Log", []string{t.node("Add", []string{x, t.scalar(1)})})
	case program.Flush:
		return x
	}
	return t.node(unaryOps[kind], []string{x})
}

func (t *translation) binary(n *program.Node, kind program.BinaryKind) (string, error) {
	if name, ok, err := t.withBias(n, kind); ok || err != nil {
		return name, err
	}
	var in []string
	for _, v := range n.In {
		x, err := t.operand(v, n)
		if err != nil {
			return "", err
		}
		in = append(in, x)
	}
	out := t.node(binaryOps[kind], in)
	switch kind {
	case program.Greater, program.GreaterEqual, program.Equal:
		return t.node("Cast", []string{out}, integer("to", int(onnxfile.Float))), nil
	}
	return out, nil
}

// withBias writes the sum of a product or a convolution and a vector as one operator, if there is one.
func (t *translation) withBias(n *program.Node, kind program.BinaryKind) (name string, ok bool, err error) {
	sum, bias := n.In[0], n.In[1]
	if kind != program.Add || sum.Kind != program.FromNode || t.uses[sum.ID] != 1 {
		return "", false, nil
	}
	if t.names[sum.ID] != "" {
		return "", false, nil
	}
	switch op := sum.Node.Op.(type) {
	case program.MatMul:
		if bias.Kind != program.FromVector || len(bias.Shape) != 1 || len(sum.Shape) != 2 || bias.Shape[0] != sum.Shape[1] {
			return "", false, nil
		}
		name, err = t.product(sum.Node, op, bias)
		return name, true, err
	case program.Conv2D:
		// a vector as [n, 1, 1]
		if bias.Kind != program.FromNode || len(bias.Shape) != 3 || bias.Shape[0] != sum.Shape[1] ||
			bias.Shape[0] != bias.Shape.Size() || bias.Node.In[0].Kind != program.FromVector {
			return "", false, nil
		}
		if _, flat := bias.Node.Op.(program.Reshape); !flat {
			return "", false, nil
		}
		in, err := t.values([]*program.Value{sum.Node.In[0], sum.Node.In[1], bias.Node.In[0]})
		if err != nil {
			return "", true, err
		}
		name, err = t.convolution(sum.Node, op, in)
		return name, true, err
	}
	return "", false, nil
}

// product writes a matrix product, plus a bias, which may be nil.
func (t *translation) product(n *program.Node, op program.MatMul, bias *program.Value) (string, error) {
	in, err := t.values(n.In)
	if err != nil {
		return "", err
	}
	if len(n.Out[0].Shape) == 3 {
		if op.TransA {
			in[0] = t.node("Transpose", in[:1], integers("perm", 0, 2, 1))
		}
		if op.TransB {
			in[1] = t.node("Transpose", in[1:], integers("perm", 0, 2, 1))
		}
		return t.node("MatMul", in), nil
	}
	if bias != nil {
		b, err := t.value(bias)
		if err != nil {
			return "", err
		}
		in = append(in, b)
	}
	var attributes []*onnxfile.Attribute
	if op.TransA {
		attributes = append(attributes, integer("transA", 1))
	}
	if op.TransB {
		attributes = append(attributes, integer("transB", 1))
	}
	return t.node("Gemm", in, attributes...), nil
}

func (t *translation) choose(n *program.Node) (string, error) {
	var in []string
	for _, v := range n.In {
		x, err := t.operand(v, n)
		if err != nil {
			return "", err
		}
		in = append(in, x)
	}
	in[0] = t.node("Cast", in[:1], integer("to", int(onnxfile.Bool)))
	return t.node("Where", in), nil
}

func (t *translation) reduce(op program.Reduce, x string) string {
	keep := 0
	if op.Keep {
		keep = 1
	}
	dims := op.Dims.List()
	if len(dims) == 0 {
		return x
	}
	if op.Kind == program.Max {
		return t.reduced("ReduceMax", x, keep, dims...)
	}
	return t.reduced("ReduceSum", x, keep, dims...)
}

// reduced writes a reduction. Its dimensions are an operand since op set 18; those of a sum since 13.
func (g *graph) reduced(op, x string, keep int, dims ...int) string {
	if op == "ReduceSum" || g.opset >= 18 {
		return g.node(op, []string{x, g.ints(wide(dims)...)}, integer("keepdims", keep))
	}
	return g.node(op, []string{x}, integers("axes", dims...), integer("keepdims", keep))
}
