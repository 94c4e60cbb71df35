package layer

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// PReLU has a learned slope for negative values: x if x ≥ 0, otherwise W·x (He and others, "Delving deep into
// rectifiers", 2015; Deeplearning4j: PReLULayer). It accepts inputs of any type and does not change the type.
type PReLU struct {
	Base
	// NIn and NOut are only used as fans of WeightInit; Deeplearning4j writes 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"` // without effect, as in Deeplearning4j
	// InputShape is the shape of one example: [n], or [channels, height, width]. If it is nil, it follows from the
	// input type. In a completed layer, shared axes have extent 1.
	InputShape []int `dl4j:"inputShape"`
	// SharedAxes lists the axes of InputShape, from 1, that share a slope: 2 and 3 for one slope per channel.
	SharedAxes []int `dl4j:"sharedAxes"`
}

// Sizes returns the number of slopes, twice.
func (l PReLU) Sizes() (nIn, nOut int) {
	n := tensor.Shape(l.InputShape).Size()
	return n, n
}

// Complete fills in settings that are left open. The slopes start at 0 unless the layer or a file sets others.
func (l PReLU) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	if l.WeightInit == nil {
		l.WeightInit = weights.Constant{}
	}
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.TimeDistributedFormat != "" {
		return nil, fmt.Errorf("timeDistributedFormat is %q: this layer has none", l.TimeDistributedFormat)
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.InputShape == nil && t.Kind != inputtype.Unknown {
		l.InputShape = t.Shape(1)[1:]
	}
	if len(l.InputShape) == 0 {
		return nil, fmt.Errorf("inputShape is empty: set it, or the network's input type")
	}
	l.InputShape = slices.Clone(l.InputShape)
	for _, axis := range l.SharedAxes {
		if axis < 1 || axis > len(l.InputShape) {
			return nil, fmt.Errorf("sharedAxes %v: there is no axis %d: inputShape %v has the axes 1 to %d",
				l.SharedAxes, axis, l.InputShape, len(l.InputShape))
		}
		l.InputShape[axis-1] = 1
	}
	for _, n := range l.InputShape {
		if n < 1 {
			return nil,
				fmt.Errorf("inputShape is %v: its extents must be positive, and an axis whose extent varies must be shared",
					l.InputShape)
		}
	}
	return l, l.WeightInit.Validate(l.stored())
}

// Preprocessor returns nil: none is needed.
func (l PReLU) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is the type of the input.
func (l PReLU) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	example := t.Shape(1)[1:]
	fits := len(example) == len(l.InputShape)
	for i := range l.InputShape {
		fits = fits && (example[i] == l.InputShape[i] || slices.Contains(l.SharedAxes, i+1))
	}
	if !fits {
		err = fmt.Errorf("takes examples of shape %v (inputShape; sharedAxes %v), got %v", l.InputShape, l.SharedAxes, t)
	}
	return t, err
}

func (l PReLU) stored() tensor.Shape { return Param{Shape: l.InputShape, Order: 'f'}.Stored() }

// Params is W, of the shape InputShape.
func (l PReLU) Params() []Param {
	fan := weights.FanInOut{In: float64(l.NIn), Out: float64(l.NOut)}
	if l.NIn < 1 || l.NOut < 1 { // Deeplearning4j divides by 0
		n := float64(tensor.Shape(l.InputShape).Size())
		fan = weights.FanInOut{In: n, Out: n}
	}
	return noiseless([]Param{l.Weight(Param{Name: "W", Shape: l.InputShape, Order: 'f',
		Init: Drawn(l.WeightInit, l.stored(), fan)})})
}

// Forward emits the formula. Masks are passed on.
func (l PReLU) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	w := c.Params["W"]
	if n := len(l.InputShape); n > 1 {
		perm := make([]int, n)
		for i := range perm {
			perm[i] = n - 1 - i
		}
		w = c.Transpose(w, perm...)
	}
	x := out.Value
	out.Value = c.Select(c.Binary(program.GreaterEqual, x, c.Fill(0)), x, c.Mul(x, w))
	return out
}

// MarshalTree leaves out the field of Base that the Java class does not have.
func (l PReLU) MarshalTree() (any, error) {
	type plain PReLU
	tree, err := dl4j.ToTree(plain(l))
	if err != nil {
		return nil, err
	}
	return tree.(dl4j.Object).Without("timeDistributedFormat"), nil
}

func init() { Classes.Register(javaPackage+"PReLULayer", func() Layer { return PReLU{} }) }
