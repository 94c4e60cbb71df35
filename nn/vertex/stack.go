package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Stack joins the rows of its inputs, which must have one type, one input after the other (Deeplearning4j:
// StackVertex). The next layers see one larger minibatch, so that the inputs share these layers. Sequences may have
// different lengths: shorter ones are padded with zeros at the end, and masked there. If only some inputs have a mask,
// the others count as present.
type Stack struct{}

// OutputType is the type of the inputs.
func (v Stack) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 1, 0); err != nil {
		return inputtype.Type{}, err
	}
	out := in[0]
	for _, t := range in[1:] {
		if t.Kind == inputtype.RecurrentKind {
			out.TimeSteps = max(out.TimeSteps, t.TimeSteps)
			t.TimeSteps = out.TimeSteps
		}
		if t != out {
			return out, fmt.Errorf("stacks inputs of one type, got %v and %v", out, t)
		}
	}
	return out, nil
}

// Rows is the sum of the inputs' rows.
func (v Stack) Rows(in []int) int {
	n := 0
	for _, k := range in {
		n += k
	}
	return n
}

// Forward emits the concatenation.
func (v Stack) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	var values, masks []*program.Value
	longest, ragged, masked := 0, false, false
	for _, a := range in {
		if a.Type.Kind == inputtype.RecurrentKind {
			steps := a.Value.Shape[2]
			ragged = ragged || longest != 0 && steps != longest
			longest = max(longest, steps)
		}
		masked = masked || a.Mask != nil
	}
	for _, a := range in {
		x, m := a.Value, a.Mask
		if m == nil {
			width := 1
			if longest > 0 {
				width = x.Shape[2]
			}
			m = c.Fill(1, x.Shape[0], width)
		}
		if longest > 0 {
			if more := longest - x.Shape[2]; more > 0 {
				x, m = c.Apply(program.Pad{Dim: 2, After: more}, x), c.Apply(program.Pad{Dim: 1, After: longest - m.Shape[1]}, m)
			}
		}
		values, masks = append(values, x), append(masks, m)
	}
	var mask *program.Value
	if masked || ragged {
		mask = c.Concat(0, masks...)
	}
	return typed(in[0].Type, c.Concat(0, values...), mask)
}

// Unstack takes part From, counted from 0, of the Of equal parts that a [Stack] has joined (Deeplearning4j:
// UnstackVertex). Sequences keep the length that they have in the stack.
type Unstack struct {
	From int `dl4j:"from"`
	Of   int `dl4j:"stackSize"`
}

// OutputType is the type of the input.
func (v Unstack) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 1, 1); err != nil {
		return inputtype.Type{}, err
	}
	if v.Of < 1 || v.From < 0 || v.From >= v.Of {
		return in[0], fmt.Errorf("takes part %d (from) of %d (stackSize): parts are counted from 0", v.From, v.Of)
	}
	return in[0], nil
}

// Rows is the number of rows of a part.
func (v Unstack) Rows(in []int) int { return in[0] / v.Of }

// Forward emits the slice.
func (v Unstack) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	n := a.Value.Shape[0]
	if n%v.Of != 0 {
		panic(&program.ShapeError{Op: "unstack", Shapes: nil,
			Reason: fmt.Sprintf("%d rows are not %d equal parts (stackSize)", n, v.Of)})
	}
	n /= v.Of
	a.Value = c.Slice(a.Value, 0, v.From*n, (v.From+1)*n)
	if a.Mask != nil {
		a.Mask = c.Slice(a.Mask, 0, v.From*n, (v.From+1)*n)
	}
	return a
}

func init() {
	Classes.Register(javaPackage+"StackVertex", func() Vertex { return Stack{} })
	Classes.Register(javaPackage+"UnstackVertex", func() Vertex { return Unstack{} })
}
