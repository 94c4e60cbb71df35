package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
)

func init() {
	Classes.Register(javaPackage+"recurrent.TimeDistributed",
		func() Layer { return TimeDistributed{Format: inputtype.NCW} })
}

// TimeDistributed applies a layer of vectors to each step of sequences: [batch, nIn, time] → [batch, nOut, time]
// (Deeplearning4j: recurrent.TimeDistributed). A mask [batch, time] masks the inner layer's rows.
//
// Deeplearning4j differs: it applies the mask's elements to the rows of other examples and steps.
type TimeDistributed struct {
	wrapping
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,creator"`
	Layer  Layer  `dl4j:"underlying,creator"`
}

// Settings returns the inner layer's settings.
func (l TimeDistributed) Settings() Settings { return l.settings(l.Layer) }

// Sizes returns nIn and nOut.
func (l TimeDistributed) Sizes() (nIn, nOut int) { return sizesWithin(l.Layer) }

// Variables returns an empty list, which Deeplearning4j writes to files.
func (l TimeDistributed) Variables() []string { return []string{} }

// row returns the input type of the inner layer.
func (l TimeDistributed) row(t inputtype.Type) inputtype.Type {
	s := t.As(l.Format)
	return inputtype.Type{Kind: inputtype.FeedForwardKind, Size: s.Size, TimeSteps: s.TimeSteps}
}

// DataFormat is Format.
func (l TimeDistributed) DataFormat() string { return l.Format }

// Complete fills in settings that are left open.
func (l TimeDistributed) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.wrapping = l.wrapping.complete(d)
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if err := completeFormat(&l.Format, t, d); err != nil {
		return nil, err
	}
	rows := []inputtype.Type{{}}
	if t.Kind == inputtype.RecurrentKind {
		rows[0] = l.row(t)
	}
	if _, scorer := l.Layer.(Scorer); scorer {
		return nil, fmt.Errorf("TimeDistributed: the layer within is an output layer: take RnnOutput")
	}
	if l.Layer, err = completeWithin("TimeDistributed", l.Name, l.Layer, d, rows); err != nil {
		return nil, err
	}
	l.wrapping = l.wrapping.normalization(l.Layer, d)
	return l, nil
}

// Preprocessor returns nil: none is needed.
func (l TimeDistributed) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a sequence of the outputs of the inner layer.
func (l TimeDistributed) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	if t.Kind != inputtype.RecurrentKind {
		return t, fmt.Errorf("TimeDistributed: takes sequences, got %v", t)
	}
	out, err := l.Layer.OutputType([]inputtype.Type{l.row(t)})
	if err == nil && out.Kind != inputtype.FeedForwardKind {
		err = fmt.Errorf("TimeDistributed: the layer within gives %v: it must give vectors", out)
	}
	s := t.As(l.Format)
	s.Size = out.Size
	return s, err
}

// Params returns the inner layer's parameters.
func (l TimeDistributed) Params() []Param { return l.Layer.Params() }

// Forward emits the formula.
func (l TimeDistributed) Forward(c *Context, in []Activation) Activation {
	steps, rows := c.extents(in[0].Value, l.Format)
	a := Activation{Value: c.stepRows(in[0].Value, l.Format), Type: l.row(in[0].Type)}
	if m := c.maskSteps(in[0].Mask, steps, rows); m != nil {
		a.Mask = c.Reshape(m, steps*rows, 1)
	}
	y := l.Layer.Forward(c, []Activation{a}).Value
	t := in[0].Type.As(l.Format)
	t.Size = y.Shape[1]
	return Activation{c.sequence(c.Reshape(y, steps, rows, y.Shape[1]), l.Format), in[0].Mask, t}
}
