package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"util.MaskZeroLayer", func() Layer { return MaskZero{} })
}

// MaskZero masks, for the inner layer, the steps of sequences [batch, nIn, time] whose elements all equal Value. This
// mask replaces any other, and no mask is passed on (Deeplearning4j: util.MaskZeroLayer).
//
// Deeplearning4j differs: its gradient is not the derivative.
type MaskZero struct {
	wrapping
	Value float64 `dl4j:"maskingValue,creator"`
	Layer Layer   `dl4j:"underlying,creator"`
}

// Settings returns the inner layer's settings.
func (l MaskZero) Settings() Settings { return l.settings(l.Layer) }

// Sizes returns nIn and nOut.
func (l MaskZero) Sizes() (nIn, nOut int) { return sizesWithin(l.Layer) }

// Variables returns an empty list, which Deeplearning4j writes to files.
func (l MaskZero) Variables() []string { return []string{} }

// InputType is the inner layer's input type.
func (l MaskZero) InputType() inputtype.Type { return sequenceInto(l.Layer) }

// DataFormat is the inner layer's format.
func (l MaskZero) DataFormat() string { return formatOf(l.Layer) }

// Reversible reports whether the inner layer obeys Context.Reverse.
func (l MaskZero) Reversible() bool { return l.Layer == nil || reversible(l.Layer) }

// Complete fills in settings that are left open.
func (l MaskZero) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	if math.IsNaN(l.Value) {
		return nil, fmt.Errorf("maskingValue is NaN, which no element equals")
	}
	l.wrapping = l.wrapping.complete(d)
	if l.Layer, err = completeWithin("MaskZeroLayer", l.Name, l.Layer, d, in); err != nil {
		return nil, err
	}
	l.wrapping = l.wrapping.normalization(l.Layer, d)
	return l, nil
}

// Preprocessor is the inner layer's.
func (l MaskZero) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the inner layer's output type.
func (l MaskZero) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && t.Kind != inputtype.RecurrentKind {
		return t, fmt.Errorf("MaskZeroLayer: takes sequences, got %v", t)
	}
	return l.Layer.OutputType(in)
}

// Params returns the inner layer's parameters.
func (l MaskZero) Params() []Param { return l.Layer.Params() }

// Forward emits the formula.
func (l MaskZero) Forward(c *Context, in []Activation) Activation {
	x := c.steps(in[0].Value, in[0].Type.As(formatOf(l.Layer)).Format)
	steps, rows, n := x.Shape[0], x.Shape[1], x.Shape[2]
	equal := c.Sum(c.Binary(program.Equal, x, c.Fill(l.Value)), 2)
	mask := c.Sub(c.Fill(1), c.Binary(program.Equal, equal, c.Fill(float64(n))))
	within := *c
	within.ApplyMask = true
	a := in[0]
	a.Mask = c.Transpose(c.Reshape(mask, steps, rows), 1, 0)
	out := l.Layer.Forward(&within, []Activation{a})
	out.Mask = nil
	return out
}

// formatOf returns the data format of a recurrent layer.
func formatOf(l Layer) string {
	if f, ok := l.(Sequential); ok {
		return f.DataFormat()
	}
	return ""
}
