package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"RnnOutputLayer", func() Layer { return RnnOutput{} })
	Classes.Register(javaPackage+"RnnLossLayer", func() Layer { return RnnLoss{Format: inputtype.NCW} })
}

// RnnOutput is a fully connected layer with a loss for each step of sequences: x [batch, nIn, time] → act(x·W + b)
// [batch, nOut, time], compared with labels of that shape (Deeplearning4j: RnnOutputLayer). The losses of the steps
// are summed. A label mask is [batch, time], [batch, 1] or, for single outputs, [batch, nOut, time]. The mask of the
// features has no effect on the loss.
type RnnOutput struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"` // Softmax if it is nil
	Loss       loss.Loss             `dl4j:"lossFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	// Format is NCW or NWC; it follows from the input type. It may be missing in a file. Arrays are read as NCW then,
	// but Deeplearning4j takes their length from dimension 1, so labels must have as many rows there as the inputs.
	Format string `dl4j:"rnnDataFormat,zeronull"`
}

// Sizes returns nIn and nOut.
func (l RnnOutput) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Complete fills in settings that are left open.
func (l RnnOutput) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = activation.Softmax{}
	}
	if l.Loss == nil {
		return nil, errNoLoss
	}
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, l.WeightInit, l.WeightInit, 1, 0}
	if err := f.complete(d, in); err != nil {
		return nil, err
	}
	return l, l.Loss.Validate(l.NOut, l.Activation)
}

// CheckLoss checks that activation and loss go together.
func (l RnnOutput) CheckLoss() error {
	return loss.ValidateOutputLayer(l.Loss, l.Activation, l.NOut, true)
}

// Preprocessor turns vectors and images into sequences.
func (l RnnOutput) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l RnnOutput) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are W [nIn, nOut] and b [nOut].
func (l RnnOutput) Params() []Param { return affineParams(l.Base, l.NIn, l.NOut, l.NoBias) }

// preOutput returns x·W + b as [time·batch, nOut].
func (l RnnOutput) preOutput(c *Context, in Activation) *program.Value {
	z := c.MatMulT(c.stepRows(in.Value, l.Format), c.Params["W"])
	if !l.NoBias {
		z = c.Add(z, c.Params["b"])
	}
	return z
}

// Forward emits the formula. The labels' mask multiplies the activations.
func (l RnnOutput) Forward(c *Context, in []Activation) Activation {
	a := c.Activate(l.Activation, l.preOutput(c, in[0]))
	steps, rows := c.extents(in[0].Value, l.Format)
	a = c.Mask(a, c.labelMaskRows(c.LabelMask, steps, rows, l.NOut, l.Format))
	t := in[0].Type.As(l.Format)
	t.Size = l.NOut
	return Activation{c.sequence(c.Reshape(a, steps, rows, l.NOut), l.Format), in[0].Mask, t}
}

// Score emits the loss of each example, summed over the steps.
func (l RnnOutput) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	steps, rows := c.extents(in[0].Value, l.Format)
	z := l.preOutput(c, in[0])
	m := c.labelMaskRows(mask, steps, rows, l.NOut, l.Format)
	if m != nil {
		z = c.WithGradient(c.Mask(z, m), z, c.Fill(1, z.Shape...))
	}
	e := l.Loss.Rows(c.Builder, c.stepRows(labels, l.Format), z, l.Activation, m)
	return c.sumSteps(c.meanSteps(l.Loss, e, m, rows), steps, rows)
}

// LabelShape is the shape of the activations, with 1 element in each step for class numbers.
func (l RnnOutput) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	out.Size = l.Loss.Labels(l.NOut)
	return out.Shape(batch)
}

// RnnLoss is RnnOutput without parameters: x [batch, n, time] → act(x), compared with labels of that shape
// (Deeplearning4j: RnnLossLayer). A label mask does not multiply the activations. Without one, unlike in RnnOutput,
// the mask of the features masks the loss.
type RnnLoss struct {
	Base
	NIn        int                   `dl4j:"nin"`  // ignored; Deeplearning4j writes 0
	NOut       int                   `dl4j:"nout"` // ignored
	Activation activation.Activation `dl4j:"activationFn"`
	Loss       loss.Loss             `dl4j:"lossFn"`
	Format     string                `dl4j:"rnnDataFormat"` // NCW or NWC; it follows from the input type
}

// Complete fills in settings that are left open.
func (l RnnLoss) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if err := completeFormat(&l.Format, t, d); err != nil {
		return nil, err
	}
	if l.Loss == nil {
		return nil, errNoLoss
	}
	if n := t.As(l.Format).Size; n > 0 {
		return l, l.Loss.Validate(n, l.Activation)
	}
	return l, nil
}

// MeansScore marks the layer as a [MeanScorer].
func (RnnLoss) MeansScore() {}

// CheckLoss checks that activation and loss go together.
func (l RnnLoss) CheckLoss() error { return loss.ValidateOutputLayer(l.Loss, l.Activation, 0, false) }

// Preprocessor turns vectors and images into sequences.
func (l RnnLoss) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is the type of the input.
func (l RnnLoss) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && t.Kind != inputtype.RecurrentKind {
		err = fmt.Errorf("takes sequences, got %v", t)
	}
	return t.As(l.Format), err
}

// Params is empty.
func (l RnnLoss) Params() []Param { return nil }

// Forward applies the activation to each step.
func (l RnnLoss) Forward(c *Context, in []Activation) Activation {
	steps, rows := c.extents(in[0].Value, l.Format)
	x := c.stepRows(in[0].Value, l.Format)
	a := c.Activate(l.Activation, x)
	return Activation{c.sequence(c.Reshape(a, steps, rows, x.Shape[1]), l.Format), in[0].Mask, in[0].Type.As(l.Format)}
}

// Score emits the loss of each example, summed over the steps.
func (l RnnLoss) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	if mask == nil {
		mask = in[0].Mask
	}
	steps, rows := c.extents(in[0].Value, l.Format)
	x := c.stepRows(in[0].Value, l.Format)
	m := c.labelMaskRows(mask, steps, rows, x.Shape[1], l.Format)
	e := l.Loss.Rows(c.Builder, c.stepRows(labels, l.Format), x, l.Activation, m)
	return c.sumSteps(c.meanSteps(l.Loss, e, m, rows), steps, rows)
}

// LabelShape is the shape of the activations, with 1 element in each step for class numbers.
func (l RnnLoss) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	out.Size = l.Loss.Labels(out.Size)
	return out.Shape(batch)
}

// extents returns the numbers of steps and of sequences.
func (c *Context) extents(x *program.Value, format string) (steps, rows int) {
	if format == inputtype.NWC {
		return x.Shape[1], x.Shape[0]
	}
	return x.Shape[2], x.Shape[0]
}

// stepRows converts an activation to [time·batch, size].
func (c *Context) stepRows(x *program.Value, format string) *program.Value {
	t := c.steps(x, format)
	return c.Reshape(t, t.Shape[0]*t.Shape[1], t.Shape[2])
}

// labelMaskRows converts a label mask to [time·batch, 1] or [time·batch, n]; nil stays nil.
func (c *Context) labelMaskRows(mask *program.Value, steps, rows, n int, format string) *program.Value {
	if mask == nil {
		return nil
	}
	if len(mask.Shape) == 3 {
		m := c.stepRows(mask, format)
		if m.Shape.Equal(tensor.Shape{steps * rows, n}) {
			return m
		}
	}
	return c.Reshape(c.maskSteps(mask, steps, rows), steps*rows, 1)
}

// meanSteps scales the losses e of steps or cells if the loss is their mean. The sum of the scaled losses, divided by
// the number of examples, is then the mean over the steps that are not masked.
func (c *Context) meanSteps(l loss.Loss, e, mask *program.Value, rows int) *program.Value {
	if !loss.MeansSteps(l) {
		return e
	}
	n := e.Shape.Size()
	if mask == nil {
		return c.Mul(e, c.Fill(float64(rows)/float64(max(n, 1))))
	}
	if width := mask.Shape.Size() / max(n, 1); width > 1 { // of single outputs
		mask = c.Mul(mask, c.Fill(1/float64(width)))
	}
	return c.Mul(e, c.Div(c.Fill(float64(rows)), c.Max(c.SumAll(mask), c.Fill(1e-7))))
}

// sumSteps sums the losses [steps·rows] of each row. The transposition puts the losses of a row side by side, so that
// they are added in the same order for any number of rows.
func (c *Context) sumSteps(losses *program.Value, steps, rows int) *program.Value {
	return c.Sum(c.Transpose(c.Reshape(losses, steps, rows), 1, 0), 1)
}
