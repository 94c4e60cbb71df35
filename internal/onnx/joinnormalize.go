package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// joiner finds normalisations that are written as their formula, as op sets before 17 do:
//
//	d = x − ReduceMean(x);  y = d / √(ReduceMean(d²) + ε)
type joiner struct {
	made      map[string]*onnxfile.Node // by the name of the result
	constants map[string]*constant
	numbers   map[string]float64
}

// joinNormalizations replaces the last node of each such formula by a LayerNormalization without factors, and
// x / max(‖x‖, ε) by an LpNormalization. The attribute axes lists the dimensions.
func joinNormalizations(g *onnxfile.Graph) {
	j := joiner{made: map[string]*onnxfile.Node{}}
	some := false
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			j.made[out] = n
		}
		some = some || n.Op == "ReduceMean" || n.Op == "ReduceL2"
	}
	if !some {
		return
	}
	j.constants, j.numbers = constantsOf(g), numbersOf(g)
	g.Nodes = slices.Clone(g.Nodes)
	for i, n := range g.Nodes {
		op := "LayerNormalization"
		x, axes, eps, ok := j.normalization(n)
		if !ok {
			op = "LpNormalization"
			x, axes, eps, ok = j.byNorm(n)
		}
		if ok {
			g.Nodes[i] = &onnxfile.Node{Op: op, Name: n.Name, Inputs: []string{x}, Outputs: n.Outputs,
				Attributes: []*onnxfile.Attribute{{Name: "axes", Type: onnxfile.IntsAttribute, Ints: axes},
					{Name: "epsilon", Type: onnxfile.FloatAttribute, Float: float32(eps)}}}
		}
	}
}

// by returns the node that makes a value, if it is of the given operator.
func (j joiner) by(name, op string) *onnxfile.Node {
	n := j.made[name]
	if n == nil || n.Op != op || n.Domain != "" || len(n.Inputs) == 0 || len(n.Outputs) != 1 {
		return nil
	}
	return n
}

// normalization reports whether a node is the last one of a normalisation of x.
func (j joiner) normalization(n *onnxfile.Node) (x string, axes []int64, eps float64, ok bool) {
	centred, root, found := j.quotient(n)
	if !found {
		return "", nil, 0, false
	}
	d := j.by(centred, "Sub")
	sum := j.by(root.Inputs[0], "Add")
	if d == nil || sum == nil || len(d.Inputs) != 2 || len(sum.Inputs) != 2 {
		return "", nil, 0, false
	}
	variance := sum.Inputs[0]
	if eps, ok = j.numbers[sum.Inputs[1]]; !ok {
		variance = sum.Inputs[1]
		if eps, ok = j.numbers[sum.Inputs[0]]; !ok {
			return "", nil, 0, false
		}
	}
	squares, axes := j.mean(variance)
	if squares == "" || !j.isSquare(squares, d) {
		return "", nil, 0, false
	}
	x, same := j.mean(d.Inputs[1])
	return x, axes, eps, x != "" && x == d.Inputs[0] && slices.Equal(axes, same) && eps > 0
}

// quotient returns the operands of a division by a square root, or of a product with its reciprocal.
func (j joiner) quotient(n *onnxfile.Node) (over string, root *onnxfile.Node, ok bool) {
	if len(n.Inputs) != 2 || n.Domain != "" || len(n.Outputs) != 1 {
		return "", nil, false
	}
	switch n.Op {
	case "Div":
		root = j.by(n.Inputs[1], "Sqrt")
		return n.Inputs[0], root, root != nil
	case "Mul":
		for i, name := range n.Inputs {
			if r := j.by(name, "Reciprocal"); r != nil {
				root = j.by(r.Inputs[0], "Sqrt")
				return n.Inputs[1-i], root, root != nil
			}
		}
	}
	return "", nil, false
}

// byNorm reports whether a node divides x by its norm, which is at least eps.
func (j joiner) byNorm(n *onnxfile.Node) (x string, axes []int64, eps float64, ok bool) {
	if n.Op != "Div" || len(n.Inputs) != 2 || n.Domain != "" || len(n.Outputs) != 1 {
		return "", nil, 0, false
	}
	name := n.Inputs[1]
	if e := j.by(name, "Expand"); e != nil {
		name = e.Inputs[0]
	}
	held := j.by(name, "Clip")
	if held == nil {
		held = j.by(name, "Max")
	}
	if held == nil || len(held.Inputs) > 2 && held.Inputs[2] != "" {
		return "", nil, 0, false
	}
	if eps, ok = j.numbers[second(held)]; !ok {
		if a := held.Attribute("min"); a != nil && held.Attribute("max") == nil {
			eps = decimal(a.Float)
		}
	}
	x, axes = j.reduced(held.Inputs[0], "ReduceL2")
	return x, axes, eps, x != "" && x == n.Inputs[0] && eps > 0
}

// mean returns the operand and the dimensions of a mean that keeps them.
func (j joiner) mean(name string) (x string, axes []int64) { return j.reduced(name, "ReduceMean") }

func (j joiner) reduced(name, op string) (x string, axes []int64) {
	n := j.by(name, op)
	if n == nil || attributeInt(n, "keepdims", 1) == 0 {
		return "", nil
	}
	if a := n.Attribute("axes"); a != nil {
		axes = a.Ints
	} else if c := j.constants[second(n)]; c != nil && c.isWhole() {
		axes, _ = c.ints()
	}
	if len(axes) == 0 || len(axes) > maxRank {
		return "", nil
	}
	return n.Inputs[0], slices.Sorted(slices.Values(axes))
}

func second(n *onnxfile.Node) string {
	if given(n, 1) {
		return n.Inputs[1]
	}
	return ""
}

// isSquare reports whether a value is the square of a difference, or of another node with the same operands.
func (j joiner) isSquare(name string, d *onnxfile.Node) bool {
	of := ""
	if n := j.by(name, "Pow"); n != nil && j.numbers[second(n)] == 2 {
		of = n.Inputs[0]
	} else if n := j.by(name, "Mul"); n != nil && n.Inputs[0] == second(n) {
		of = n.Inputs[0]
	}
	if n := j.by(of, "Cast"); n != nil {
		of = n.Inputs[0]
	}
	n := j.by(of, "Sub")
	return n != nil && slices.Equal(n.Inputs, d.Inputs)
}
