package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// SkipMasked makes the inner recurrent layer, an LSTM or a SimpleRnn, skip the steps of sequences that are 0 in a mask
// [batch, time]: state and output do not change there. Keras treats masks in this way. No mask is passed on.
//
// Deeplearning4j differs: it has no such layer. Its layers ignore a mask, or set the state to 0.
type SkipMasked struct {
	wrapping
	Layer Layer `dl4j:"underlying"`
	// ZeroOutput gives 0 for masked steps. The state is kept in either case. Keras sets it within Bidirectional.
	ZeroOutput bool `dl4j:"zeroOutputForMask"`
}

// Settings returns the inner layer's settings.
func (l SkipMasked) Settings() Settings { return l.settings(l.Layer) }

// Sizes returns nIn and nOut.
func (l SkipMasked) Sizes() (nIn, nOut int) { return sizesWithin(l.Layer) }

// Variables is empty, as in other wrappers.
func (l SkipMasked) Variables() []string { return []string{} }

// InputType is the inner layer's input type.
func (l SkipMasked) InputType() inputtype.Type { return sequenceInto(l.Layer) }

// DataFormat is the inner layer's format.
func (l SkipMasked) DataFormat() string { return formatOf(l.Layer) }

// Reversible reports whether the inner layer obeys Context.Reverse.
func (l SkipMasked) Reversible() bool { return l.Layer == nil || reversible(l.Layer) }

// Complete fills in settings that are left open.
func (l SkipMasked) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	l.wrapping = l.wrapping.complete(d)
	if l.Layer, err = completeWithin("SkipMasked", l.Name, l.Layer, d, in); err != nil {
		return nil, err
	}
	l.wrapping = l.wrapping.normalization(l.Layer, d)
	return l, nil
}

// Preprocessor is the inner layer's.
func (l SkipMasked) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the inner layer's output type.
func (l SkipMasked) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Layer.OutputType(in)
}

// Params returns the inner layer's parameters.
func (l SkipMasked) Params() []Param { return l.Layer.Params() }

// Forward emits the formula.
func (l SkipMasked) Forward(c *Context, in []Activation) Activation {
	within := *c
	within.ApplyMask, within.SkipMasked = true, true
	out := l.Layer.Forward(&within, in)
	if m := in[0].Mask; m != nil && l.ZeroOutput {
		h := c.steps(out.Value, out.Type.Format)
		m = c.maskSteps(m, h.Shape[0], h.Shape[1])
		out.Value = c.sequence(c.Select(m, h, c.Fill(0)), out.Type.Format)
	}
	out.Mask = nil
	return out
}

// skipping returns a step of a loop that does not change the states where the mask is 0.
func (c *Context) skipping(step stepFunction) stepFunction {
	if !c.SkipMasked {
		return step
	}
	return func(b *program.Builder, inv, state []*program.Value, x, mask *program.Value) []*program.Value {
		next := step(b, inv, state, x, nil)
		if mask != nil {
			for i := range next {
				next[i] = b.Select(mask, next[i], state[i])
			}
		}
		return next
	}
}

func init() { Classes.Register(ownPackage+"SkipMasked", func() Layer { return SkipMasked{} }) }
