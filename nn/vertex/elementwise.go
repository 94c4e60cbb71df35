package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Operation combines the inputs of [ElementWise].
type Operation string

// The operations. All take two or more inputs, except Subtract, which subtracts the second of exactly two from the
// first. If elements are equal, Max's gradient goes to the last.
const (
	Add      Operation = "Add"
	Subtract Operation = "Subtract"
	Product  Operation = "Product"
	Average  Operation = "Average"
	Max      Operation = "Max"
)

// ElementWise combines its inputs element by element; extents of 1 are repeated (Deeplearning4j: ElementWiseVertex).
// Masks are joined by "or"; if an input has none, the result has none.
type ElementWise struct {
	Op Operation `dl4j:"op"`
}

// OutputType is the type of the inputs, after repeating extents of 1.
func (v ElementWise) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	most := 0
	switch v.Op {
	case Subtract:
		most = 2
	case Add, Product, Average, Max:
	default:
		return inputtype.Type{}, fmt.Errorf("op %q is unknown: it is one of Add, Subtract, Product, Average, Max", v.Op)
	}
	least := 1
	if v.Op == Subtract {
		least = 2
	}
	if err := inputs(in, least, most); err != nil {
		return inputtype.Type{}, err
	}
	all := true
	for _, t := range in {
		all = all && t == in[0]
	}
	if all {
		return in[0], nil
	}
	shapes := arrays(in)
	sum := shapes[0]
	for i, s := range shapes[1:] {
		var err error
		if sum, err = program.Broadcast(sum, s); err != nil || len(s) != len(shapes[0]) {
			return inputtype.Type{}, fmt.Errorf("%s of %v and %v: they must be alike", v.Op, in[0], in[i+1])
		}
	}
	return like(in[0], sum)
}

// Forward emits the operation, from the first input to the last.
func (v ElementWise) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	y := in[0].Value
	for _, a := range in[1:] {
		switch v.Op {
		case Add, Average:
			y = c.Add(y, a.Value)
		case Subtract:
			y = c.Sub(y, a.Value)
		case Product:
			y = c.Mul(y, a.Value)
		case Max:
			y = c.Max(y, a.Value)
		}
	}
	if v.Op == Average && len(in) > 1 {
		y = c.Div(y, c.Fill(float64(len(in))))
	}
	return typed(in[0].Type, y, either(c, in))
}

func init() {
	Classes.Register(javaPackage+"ElementWiseVertex", func() Vertex { return ElementWise{} })
}
