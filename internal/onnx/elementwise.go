package onnx

import (
	"math"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
)

// oneToOne has operators that are one function of [activation.Formula], with their number of operands.
var oneToOne = map[string]struct {
	name  string
	count int
}{"Neg": {"neg", 1}, "Abs": {"abs", 1}, "Sign": {"sign", 1}, "Sqrt": {"sqrt", 1}, "Reciprocal": {"reciprocal", 1},
	"Exp": {"exp", 1}, "Log": {"log", 1}, "Floor": {"floor", 1}, "Erf": {"erf", 1},
	"Add": {"add", 2}, "Sub": {"sub", 2}, "Mul": {"mul", 2}, "Div": {"div", 2}, "Greater": {"greater", 2},
	"GreaterOrEqual": {"greaterequal", 2}, "Equal": {"equal", 2}, "And": {"mul", 2}, "Or": {"max", 2},
	"Where": {"select", 3}}

// elementwiseTerm returns what an elementwise node computes of its operands; nil for other nodes. Truth values are 0
// and 1.
func elementwiseTerm(opset int64, n *onnxfile.Node, in []*term) *term {
	if len(in) == 0 || slices.Contains(in, nil) && n.Op != "Clip" || in[0] == nil {
		return nil
	}
	if simple[n.Op] && len(in) == 1 {
		if a, err := simpleActivation(n); err == nil {
			return termOf(a, in[0])
		}
		return nil
	}
	if f, ok := oneToOne[n.Op]; ok && f.count == len(in) {
		return called(f.name, in...)
	}
	switch count := len(in); {
	case n.Op == "Identity" && count == 1:
		return in[0]
	case n.Op == "Not" && count == 1:
		return called("sub", numberTerm(1), in[0])
	case n.Op == "Cast" && count == 1:
		switch to := onnxfile.DataType(attributeInt(n, "to", 0)); {
		case to == onnxfile.Bool:
			return called("sub", numberTerm(1), called("equal", in[0], numberTerm(0)))
		case isNumber(to) && !whole(to):
			return in[0]
		}
	case n.Op == "Pow" && count == 2:
		return power(in[0], in[1])
	case n.Op == "Less" && count == 2:
		return called("greater", in[1], in[0])
	case n.Op == "LessOrEqual" && count == 2:
		return called("greaterequal", in[1], in[0])
	case n.Op == "Max" || n.Op == "Min":
		t := in[0]
		for _, x := range in[1:] {
			t = called(map[string]string{"Max": "max", "Min": "min"}[n.Op], t, x)
		}
		return t
	case n.Op == "Clip":
		return clipTerm(opset, n, in)
	}
	return nil
}

// power returns x to the power of y. Products have a gradient at x < 0, too.
func power(x, y *term) *term {
	if y.name == "" {
		switch y.number {
		case 1:
			return x
		case 2:
			return called("square", x)
		case 3:
			return called("mul", x, called("square", x))
		case 0.5:
			return called("sqrt", x)
		case -1:
			return called("reciprocal", x)
		}
	}
	return called("pow", x, y)
}

// clipTerm returns a value held within limits; nil if they are not numbers.
func clipTerm(opset int64, n *onnxfile.Node, in []*term) *term {
	limits := [2]float64{attributeFloat(n, "min", math.Inf(-1)), attributeFloat(n, "max", math.Inf(1))}
	if opset >= 11 {
		limits = [2]float64{math.Inf(-1), math.Inf(1)}
		for i, x := range in[1:] {
			if x != nil && x.name != "" || i > 1 {
				return nil
			}
			if x != nil {
				limits[i] = x.number
			}
		}
	}
	const largest = math.MaxFloat32 / 2
	t := in[0]
	if limits[0] > -largest {
		t = called("max", t, numberTerm(limits[0]))
	}
	if limits[1] < largest {
		t = called("min", t, numberTerm(limits[1]))
	}
	if t == in[0] {
		return nil
	}
	return t
}

// simpleActivation returns the activation of an operator in simple.
func simpleActivation(n *onnxfile.Node) (activation.Activation, error) {
	if n.Op == "Gelu" {
		if attributeText(n, "approximate", "none") == "tanh" {
			return activation.GELUTanh{}, nil
		}
		return activation.GELUExact{}, nil
	}
	alpha := func(usual float64) float64 { return attributeDecimal(n, "alpha", usual) }
	beta := func(usual float64) float64 {
		if n.Op == "Selu" {
			return attributeFloat(n, "gamma", usual)
		}
		return attributeFloat(n, "beta", usual)
	}
	return activationNamed(n.Op, alpha, beta)
}

// decimal returns the shortest number that float32 rounds to x: 0.1, not 0.10000000149011612.
func decimal(x float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil {
		return float64(x)
	}
	return d
}

// usualNode reports whether a node alone has a layer or a vertex, or no effect.
func usualNode(n *onnxfile.Node, numbers map[string]float64) bool {
	if simple[n.Op] || n.Op == "Identity" || n.Op == "Cast" {
		return true
	}
	if len(n.Inputs) != 2 {
		return false
	}
	x, second := numbers[n.Inputs[1]]
	if !second {
		x = numbers[n.Inputs[0]]
	}
	switch n.Op {
	case "Add", "Sub":
		return x-x == 0 && (second || n.Op == "Add")
	case "Mul", "Div":
		return x-x == 0 && x != 0 && (second || n.Op == "Mul") && 1/x-1/x == 0
	}
	return false
}
