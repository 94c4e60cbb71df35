package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"CapsuleLayer", func() Layer { return Capsules{} })
	Classes.Register(javaPackage+"CapsuleStrengthLayer", func() Layer { return CapsuleStrength{} })
}

// Capsules computes capsules from capsules by routing (Sabour and others, "Dynamic routing between capsules", 2017;
// Deeplearning4j: CapsuleLayer): u [batch, inputCapsules, inputCapsuleDimensions] → [batch, capsules,
// capsuleDimensions]. Let û_ij = W_ij·u_i be the predictions, and b_ij the logits, which start at 0. Each routing
// computes v_j = squash(Σ_i softmax_j(b_ij)·û_ij + bias_j), and adds û_ij·v_j to b_ij for the next one. The result is
// the last v. squash is the function of [PrimaryCapsules].
type Capsules struct {
	SameDiff
	HasBias bool `dl4j:"hasBias"`
	// InputCapsules and InputCapsuleDimensions follow from the input type if they are 0.
	InputCapsules          int `dl4j:"inputCapsules"`
	InputCapsuleDimensions int `dl4j:"inputCapsuleDimensions"`
	Capsules               int `dl4j:"capsules"`
	CapsuleDimensions      int `dl4j:"capsuleDimensions"`
	Routings               int `dl4j:"routings"` // 3 if it is 0
}

// Sizes returns the numbers of capsules.
func (l Capsules) Sizes() (nIn, nOut int) { return l.InputCapsules, l.Capsules }

// maxRoutings bounds the length of programs.
const maxRoutings = 1000

// Complete fills in settings that are left open.
func (l Capsules) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	l.SameDiff = s
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if t.Kind == inputtype.RecurrentKind && (l.InputCapsules == 0 || l.InputCapsuleDimensions == 0) {
		t = t.As(inputtype.NCW)
		l.InputCapsules, l.InputCapsuleDimensions = t.Size, t.TimeSteps
	}
	if l.Routings == 0 && !d.FromFile {
		l.Routings = 3
	}
	switch {
	case l.Capsules < 1 || l.CapsuleDimensions < 1:
		return nil, fmt.Errorf("capsules is %d and capsuleDimensions %d: both must be positive", l.Capsules,
			l.CapsuleDimensions)
	case l.Routings < 1 || l.Routings > maxRoutings:
		return nil, fmt.Errorf("routings is %d: it must be from 1 to %d", l.Routings, maxRoutings)
	case l.InputCapsules < 1 || l.InputCapsuleDimensions < 1:
		return nil, fmt.Errorf("inputCapsules is %d and inputCapsuleDimensions %d: set them, or the network's input type",
			l.InputCapsules, l.InputCapsuleDimensions)
	}
	if _, err := (tensor.Shape{l.InputCapsules, l.Capsules, l.CapsuleDimensions,
		l.InputCapsuleDimensions}).CheckedSize(1 << 31); err != nil {
		return nil, err
	}
	l.SameDiff = l.withParams(l.Params())
	return l, nil
}

// Preprocessor returns nil: none is needed.
func (l Capsules) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a sequence of capsuleDimensions vectors of capsules elements, as in Deeplearning4j.
func (l Capsules) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, l.InputCapsules, inputtype.NCW)
	if err == nil && t.TimeSteps != 0 && t.TimeSteps != l.InputCapsuleDimensions {
		err = fmt.Errorf("takes capsules of %d (inputCapsuleDimensions), got capsules of %d", l.InputCapsuleDimensions,
			t.TimeSteps)
	}
	return inputtype.Recurrent(l.Capsules, l.CapsuleDimensions), err
}

// Params are weight [1, inputCapsules, capsules·capsuleDimensions, inputCapsuleDimensions, 1] and bias [1, 1, capsules,
// capsuleDimensions, 1].
func (l Capsules) Params() []Param {
	n := l.Capsules * l.CapsuleDimensions
	fan := weights.FanInOut{In: float64(l.InputCapsules * l.InputCapsuleDimensions), Out: float64(n)}
	ps := []Param{l.weight("weight", fan, 1, l.InputCapsules, n, l.InputCapsuleDimensions, 1)}
	if l.HasBias {
		ps = append(ps, l.biasOf(1, 1, l.Capsules, l.CapsuleDimensions, 1))
	}
	return ps
}

// Forward emits the formula.
func (l Capsules) Forward(c *Context, in []Activation) Activation {
	from, to, size := l.InputCapsules, l.Capsules, l.CapsuleDimensions
	u := c.Transpose(in[0].Value, 1, 0, 2) // [from, batch, inputCapsuleDimensions]
	w := c.Reshape(c.Params["weight"], from, to*size, l.InputCapsuleDimensions)
	predicted := c.Reshape(c.Apply(program.MatMul{TransB: true}, u, w), from, c.Batch, to, size)
	along := func(dim int, v *program.Value) *program.Value { // the batch is dimension 1
		return c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(dim), Keep: true, InOrder: dim == 0}, v)
	}
	coupling, logits := c.Fill(1/float64(to)), (*program.Value)(nil)
	for i := 1; ; i++ {
		s := along(0, c.Mul(predicted, coupling))
		if l.HasBias {
			s = c.Add(s, c.Reshape(c.Params["bias"], to, size))
		}
		v := squash(c, s)
		if i == l.Routings {
			return Activation{c.Reshape(v, c.Batch, to, size), in[0].Mask, inputtype.Recurrent(to, size)}
		}
		agreement := along(3, c.Mul(predicted, v))
		if logits != nil {
			agreement = c.Add(logits, agreement)
		}
		logits = agreement
		coupling = c.Apply(program.Softmax{Dim: 2}, logits)
	}
}

// CapsuleStrength returns the length of each capsule: [batch, capsules, capsuleDimensions] → [batch, capsules]
// (Deeplearning4j: CapsuleStrengthLayer). The gradient of a length of 0 is 0.
type CapsuleStrength struct{ SameDiff }

// Complete fills in settings that are left open.
func (l CapsuleStrength) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	s.WeightInit = l.WeightInit // there are no weights, and files leave it out
	l.SameDiff = s
	_, err = Single(in)
	return l, err
}

// Params is empty.
func (l CapsuleStrength) Params() []Param { return nil }

// Preprocessor returns nil: none is needed.
func (l CapsuleStrength) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a vector of the number of capsules.
func (l CapsuleStrength) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, 0, inputtype.NCW)
	return inputtype.FeedForward(t.Size), err
}

// Forward emits the formula.
func (l CapsuleStrength) Forward(c *Context, in []Activation) Activation {
	mask := in[0].Mask
	if mask != nil && mask.Shape.Size() != mask.Shape[0] {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape},
			Reason: "a mask of elements of capsules cannot pass this layer"})
	}
	x, by := program.Scaled(c.Builder, in[0].Value, 2)
	square := c.Sum(c.Unary(program.Square, x), 2)
	none := c.Binary(program.Equal, square, c.Fill(0))
	y := c.Select(none, c.Fill(0), c.Unary(program.Sqrt, c.Select(none, c.Fill(1), square)))
	y = c.Mul(y, c.Reshape(by, y.Shape...))
	return Activation{y, mask, inputtype.FeedForward(y.Shape[1])}
}
