package onnx

import (
	"math"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// constantsOf returns the constants that a graph holds: tensors, and results of Constant.
func constantsOf(g *onnxfile.Graph) map[string]*constant {
	all := map[string]*constant{}
	for _, t := range g.Initializers {
		all[t.Name] = &constant{tensor: t}
	}
	for _, n := range g.Nodes {
		if n.Op == "Constant" && n.Domain == "" && len(n.Outputs) == 1 && all[n.Outputs[0]] == nil {
			if c, err := constantOf(n); err == nil {
				all[n.Outputs[0]] = c
			}
		}
	}
	return all
}

// numbersOf returns a graph's constants of one element.
func numbersOf(g *onnxfile.Graph) map[string]float64 {
	numbers := map[string]float64{}
	for name, c := range constantsOf(g) {
		if x, ok := c.number(); ok {
			numbers[name] = x
		}
	}
	for _, n := range g.Nodes {
		if len(n.Outputs) != 1 || len(n.Inputs) == 0 || n.Domain != "" {
			continue
		}
		x, ok := numbers[n.Inputs[0]]
		if to := onnxfile.DataType(attributeInt(n, "to", 0)); !ok || n.Op == "Cast" && whole(to) && x != math.Trunc(x) {
			continue
		}
		switch n.Op {
		case "Identity", "Cast", "CastLike", "Reshape", "Squeeze", "Unsqueeze":
			numbers[n.Outputs[0]] = x
		}
	}
	return numbers
}

// number returns a constant's only element.
func (c *constant) number() (x float64, ok bool) {
	if len(c.shape()) > 2 || product(c.shape()) != 1 || c.tensor != nil && !isNumber(c.tensor.Type) {
		return 0, false
	}
	if c.isWhole() {
		list, err := c.ints()
		if err != nil || len(list) != 1 || list[0] == unknown {
			return 0, false
		}
		return float64(list[0]), true
	}
	list, _, err := c.numbers()
	if err != nil || len(list) != 1 || list[0] != list[0] {
		return 0, false
	}
	return decimal(list[0]), true
}

func isNumber(t onnxfile.DataType) bool {
	switch t {
	case onnxfile.Float, onnxfile.Double, onnxfile.Float16, onnxfile.Bfloat16:
		return true
	}
	return whole(t)
}
