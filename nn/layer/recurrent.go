package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Recurrent layers compute on arrays [time, batch, size]. Sequences are converted to that form and back, but not
// between two recurrent layers. The contribution of the inputs is one product over all steps, before the loop.

// stepFields are fields that recurrent layers share.
type stepFields struct {
	base            *Base
	nIn, nOut       *int
	format          *string
	recurrent, init weights.Init
	gates           int // blocks of nOut columns
	extra           int // further columns of RW
}

// complete fills in nIn and the data format, and checks the sizes.
func (f stepFields) complete(d Defaults, in []inputtype.Type) error {
	t, err := Single(in)
	if err != nil {
		return err
	}
	if err := completeFormat(f.format, t, d); err != nil {
		return err
	}
	t = t.As(*f.format)
	if *f.nIn == 0 && t.Kind == inputtype.RecurrentKind {
		*f.nIn = t.Size
	}
	if err := positive(*f.nIn, *f.nOut); err != nil {
		return err
	}
	if _, err := (tensor.Shape{*f.nIn, *f.nOut, f.gates}).CheckedSize(1 << 31); err != nil {
		return err
	}
	if err := f.init.Validate([]int{f.gates * *f.nOut, *f.nIn}); err != nil {
		return err
	}
	if f.recurrent == nil {
		f.recurrent = f.init
	}
	return f.recurrent.Validate([]int{f.gates**f.nOut + f.extra, *f.nOut})
}

// completeFormat takes the data format from the input when a network is made, not when it is read, as Deeplearning4j
// does.
func completeFormat(format *string, t inputtype.Type, d Defaults) error {
	if t.Kind == inputtype.RecurrentKind && !d.FromFile {
		if *format = t.Format; t.Format == "" {
			*format = inputtype.NCW
		}
	}
	switch *format {
	case "", inputtype.NCW, inputtype.NWC:
		return nil
	}
	return fmt.Errorf("the rnnDataFormat %q is unknown: NCW and NWC are known", *format)
}

// sequenceType checks the input's type, and returns the type of sequences of nOut.
func sequenceType(in []inputtype.Type, nIn, nOut int, format string) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	s := t.As(format)
	if t.Kind != inputtype.RecurrentKind || s.Size != nIn && s.Size != 0 {
		return t, fmt.Errorf("takes sequences of vectors of %d (nIn), got %v", nIn, t)
	}
	s.Size = nOut
	return s, nil
}

// toSequence returns the preprocessor before a layer of sequences.
func toSequence(in inputtype.Type, format string) Preprocessor {
	if format == "" {
		format = inputtype.NCW
	}
	switch in.Kind {
	case inputtype.FeedForwardKind, inputtype.ConvolutionalFlatKind:
		if in.Format != "" {
			format = in.Format
		}
		return FeedForwardToRnn{Format: format}
	case inputtype.ConvolutionalKind:
		return CnnToRnn{Height: in.Height, Width: in.Width, Channels: in.Channels, Format: format}
	}
	return nil
}

// steps converts an activation to [time, batch, size].
func (c *Context) steps(x *program.Value, format string) *program.Value {
	if format == inputtype.NWC {
		return c.Transpose(x, 1, 0, 2)
	}
	return c.Transpose(x, 2, 0, 1)
}

// sequence converts [time, batch, size] to an activation.
func (c *Context) sequence(x *program.Value, format string) *program.Value {
	if format == inputtype.NWC {
		return c.Transpose(x, 1, 0, 2)
	}
	return c.Transpose(x, 1, 2, 0)
}

// maskSteps converts a mask of sequences to [time, batch, 1]; nil stays nil.
func (c *Context) maskSteps(mask *program.Value, steps, rows int) *program.Value {
	if mask == nil {
		return nil
	}
	if len(mask.Shape) == 2 && mask.Shape[0] == rows && mask.Shape[1] == 1 {
		mask = c.BroadcastTo(mask, rows, steps)
	}
	if !mask.Shape.Equal(tensor.Shape{rows, steps}) {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape},
			Reason: fmt.Sprintf("beside %d sequences of %d steps it must be [%d, %d] or [%d, 1]", rows, steps, rows, steps,
				rows)})
	}
	return c.Reshape(c.Transpose(mask, 1, 0), steps, rows, 1)
}

// project computes x·wᵀ + b for all steps: x [time, batch, in], w [out, in], b [out] or nil.
func (c *Context) project(x, w, b *program.Value) *program.Value {
	steps, rows := x.Shape[0], x.Shape[1]
	z := c.MatMulT(c.Reshape(x, steps*rows, x.Shape[2]), w)
	if b != nil {
		z = c.Add(z, b)
	}
	return c.Reshape(z, steps, rows, w.Shape[0])
}

// stepFunction emits one step of a recurrent layer and returns the states after it.
type stepFunction = func(b *program.Builder, inv, state []*program.Value, x, mask *program.Value) []*program.Value

// recurrence emits a layer's loop over the steps of x [time, batch, …]. mask [time, batch, 1] may be nil. names are
// the names of the states, each [batch, n]; the first state is the layer's activations [time, batch, n]. In truncated
// back-propagation, no gradient reaches steps before the last BackLength ones.
func (c *Context) recurrence(names []string, n int, reverse bool, x, mask *program.Value, invariants []*program.Value,
	step stepFunction,
) *program.Value {
	step = c.skipping(step)
	steps, rows := x.Shape[0], x.Shape[1]
	var state []*program.Value
	for _, name := range names {
		state = append(state, c.initialState(name, rows, n))
	}
	run := func(from, to int, inv, state []*program.Value, stop bool) (out *program.Value, last []*program.Value) {
		cut := func(v *program.Value) *program.Value {
			if v = c.Slice(v, 0, from, to); stop {
				v = c.StopGradient(v)
			}
			return v
		}
		xs := []*program.Value{cut(x)}
		if mask != nil {
			xs = append(xs, cut(mask))
		}
		all, _, last := c.Scan(program.Loop{Steps: to - from, Reverse: reverse}, inv, state, xs,
			func(b *program.Builder, inv, state, x []*program.Value) (next, results []*program.Value) {
				if len(x) == 1 {
					x = append(x, nil)
				}
				return step(b, inv, state, x[0], x[1]), nil
			})
		return all[0], last
	}
	first := 0
	if c.BackLength > 0 && c.BackLength < steps && !reverse {
		first = steps - c.BackLength
	}
	var before *program.Value
	if first > 0 {
		still := make([]*program.Value, len(invariants))
		for i, v := range invariants {
			still[i] = c.StopGradient(v)
		}
		before, state = run(0, first, still, state, true)
		for i, v := range state {
			state[i] = c.StopGradient(v)
		}
	}
	out, last := run(first, steps, invariants, state, false)
	if before != nil {
		out = c.Concat(0, c.StopGradient(before), out)
	}
	for i, name := range names {
		c.keepState(name, last[i])
	}
	return out
}

// initialState returns the state with which a run begins: the state of the run before, or zeros.
func (c *Context) initialState(name string, rows, n int) *program.Value {
	if c.State == nil {
		return c.Fill(0, rows, n)
	}
	return c.State(name, rows, n)
}

func (c *Context) keepState(name string, v *program.Value) {
	if c.KeepState != nil {
		c.KeepState(name, v)
	}
}

// refuseState fails for layers that need all steps of a sequence at once.
func (c *Context) refuseState(class string) {
	if c.State != nil {
		panic(&program.ShapeError{Op: class, Reason: "it reads sequences from their ends too, so that neither truncated " +
			"back-propagation nor steps one by one are possible"})
	}
}

// sequenceOf returns the type of sequences of vectors of n; unknown if n is 0.
func sequenceOf(n int, format string) inputtype.Type {
	if n == 0 {
		return inputtype.Type{}
	}
	return inputtype.Type{Kind: inputtype.RecurrentKind, Size: n, Format: format}
}

// sequenceInto returns the input type of a layer's wrapper.
func sequenceInto(l Layer) inputtype.Type {
	n, _ := sizesWithin(l)
	return sequenceOf(n, formatOf(l))
}
