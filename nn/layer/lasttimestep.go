package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"recurrent.LastTimeStep", func() Layer { return LastTimeStep{} })
}

// LastTimeStep returns the last step of the inner layer's output: [batch, nIn, time] → [batch, nOut] (Deeplearning4j:
// recurrent.LastTimeStep). With a mask [batch, time] it is the last step that is not masked, or zeros if all are. The
// inner layer also applies the mask, even if it ignores masks elsewhere.
//
// Deeplearning4j differs: around Bidirectional and with a mask its gradient is not the derivative.
type LastTimeStep struct {
	wrapping
	Layer Layer `dl4j:"underlying"`
}

// NewLastTimeStep wraps a layer.
func NewLastTimeStep(l Layer) LastTimeStep { return LastTimeStep{Layer: l} }

// Settings returns the inner layer's settings.
func (l LastTimeStep) Settings() Settings { return l.settings(l.Layer) }

// Sizes returns nIn and nOut.
func (l LastTimeStep) Sizes() (nIn, nOut int) { return sizesWithin(l.Layer) }

// Variables returns an empty list, which Deeplearning4j writes to files.
func (l LastTimeStep) Variables() []string { return []string{} }

// InputType is the inner layer's input type.
func (l LastTimeStep) InputType() inputtype.Type { return sequenceInto(l.Layer) }

// DataFormat is the inner layer's format.
func (l LastTimeStep) DataFormat() string { return formatOf(l.Layer) }

// Reversible reports whether the inner layer obeys Context.Reverse.
func (l LastTimeStep) Reversible() bool { return l.Layer == nil || reversible(l.Layer) }

// Complete fills in settings that are left open.
func (l LastTimeStep) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	l.wrapping = l.wrapping.complete(d)
	if l.Layer, err = completeWithin("LastTimeStep", l.Name, l.Layer, d, in); err != nil {
		return nil, err
	}
	l.wrapping = l.wrapping.normalization(l.Layer, d)
	return l, nil
}

// Preprocessor is the inner layer's.
func (l LastTimeStep) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is a vector.
func (l LastTimeStep) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := l.Layer.OutputType(in)
	if err == nil && t.Kind != inputtype.RecurrentKind {
		err = fmt.Errorf("LastTimeStep: the layer within gives %v: it must give sequences", t)
	}
	return inputtype.FeedForward(t.Size), err
}

// Params returns the inner layer's parameters.
func (l LastTimeStep) Params() []Param { return l.Layer.Params() }

// Forward emits the formula.
func (l LastTimeStep) Forward(c *Context, in []Activation) Activation {
	within := *c
	within.ApplyMask = true
	out := l.Layer.Forward(&within, in)
	h := c.steps(out.Value, out.Type.Format)
	steps, rows, n := h.Shape[0], h.Shape[1], h.Shape[2]
	mask := c.maskSteps(in[0].Mask, steps, rows)
	t := inputtype.FeedForward(n)
	if mask == nil {
		last := steps - 1
		if c.Reverse {
			last = 0
		}
		return Activation{Value: c.Reshape(c.Slice(h, 0, last, last+1), rows, n), Type: t}
	}
	ranks := make([]float64, steps) // 1 to steps, highest for the last step
	for i := range ranks {
		ranks[i] = float64(i + 1)
		if c.Reverse {
			ranks[i] = float64(steps - i)
		}
	}
	rank := c.Const(ranks, steps, 1, 1)
	present := c.Sub(c.Fill(1), c.Binary(program.Equal, mask, c.Fill(0)))
	last := c.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(0), Keep: true}, c.Mul(present, rank))
	one := c.Mul(present, c.Binary(program.Equal, rank, last))
	return Activation{Value: c.Sum(c.Select(one, h, c.Fill(0)), 0), Type: t} // leaves out steps that overflow, too
}
