package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register("org.deeplearning4j.nn.conf.ocnn.OCNNOutputLayer", func() Layer { return OCNNOutput{} })
}

// OCNNOutput scores how normal an example is (Chalapathy and others, "Anomaly detection using one-class neural
// networks", 2018; Deeplearning4j: OCNNOutputLayer): x [batch, nIn] → ŷ = act(x·V)·wᵀ [batch, 1]. Unusual examples
// score below r. The score of a minibatch of N examples is
//
//	(‖w‖²/2 + ‖V‖²/2 + Σ max(0, r − ŷ)/(N·Nu) − r)/N
//
// and each example has its share of it. So the score of an example, in Score and ScoreExamples, depends on the number
// of examples in its minibatch; its output does not. The values of labels, [batch, 1], are ignored. Masks are an
// error.
//
// Here r is only learned by its gradient, which is 0 if the fraction Nu of the examples is below r. Deeplearning4j
// also sets r, at the start of an epoch, to the quantile Nu of the outputs of the first epoch's minibatches.
type OCNNOutput struct {
	// ConfigureR makes InitialR the initial value of r, which is 0 otherwise.
	ConfigureR bool    `dl4j:"configureR,creator"`
	HiddenSize int     `dl4j:"hiddenSize,creator"` // columns of V
	InitialR   float64 `dl4j:"initialRValue,creator"`
	Nu         float64 `dl4j:"nu,creator"` // in (0, 1]
	// WindowSize is the number of outputs from which Deeplearning4j computes r. Like LastEpochR, it is only kept for
	// files.
	WindowSize int `dl4j:"windowSize,creator"`
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // 1
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"` // ignored: there is no bias
	LastEpochR int                   `dl4j:"lastEpochSinceRUpdated"`
}

// NewOCNNOutput returns a layer with Deeplearning4j's defaults: Nu 0.04, an initial r of 0.1.
func NewOCNNOutput(hiddenSize int) OCNNOutput {
	return OCNNOutput{ConfigureR: true, HiddenSize: hiddenSize, InitialR: 0.1, Nu: 0.04, WindowSize: 10000}
}

// Sizes returns nIn and 1.
func (l OCNNOutput) Sizes() (nIn, nOut int) { return l.NIn, 1 }

// Complete fills in settings that are left open.
func (l OCNNOutput) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.NIn, err = RowSize(l.NIn, in); err != nil {
		return nil, err
	}
	if l.NOut == 0 {
		l.NOut = 1
	}
	switch {
	case l.NOut != 1:
		return nil, fmt.Errorf("nOut is %d: it must be 1", l.NOut)
	case !(l.Nu > 0 && l.Nu <= 1):
		return nil, fmt.Errorf("nu is %g: it must be in (0, 1]", l.Nu)
	case math.IsNaN(l.InitialR) || math.IsInf(l.InitialR, 0):
		return nil, fmt.Errorf("initialRValue is %g: it must be a number", l.InitialR)
	case l.WindowSize < 0 || l.LastEpochR < 0:
		return nil, fmt.Errorf("windowSize %d and lastEpochSinceRUpdated %d must not be negative", l.WindowSize, l.LastEpochR)
	case l.HiddenSize < 1:
		return nil, fmt.Errorf("hiddenSize is %d: it must be positive", l.HiddenSize)
	case len(regularization.ConstraintsOn(l.Constraints, "r")) > 0:
		return nil, fmt.Errorf("a constraint names r, which is a single number: constrain w and v")
	}
	return l, l.CheckMatrix(l.NIn, l.HiddenSize)
}

// CheckLoss returns nil: the layer has its own loss.
func (l OCNNOutput) CheckLoss() error { return nil }

// Preprocessor flattens images.
func (l OCNNOutput) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a vector of 1.
func (l OCNNOutput) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, 1)
}

// Params are w [1, hiddenSize], v [nIn, hiddenSize] and r []. None is regularised, because the score contains their
// norms.
func (l OCNNOutput) Params() []Param {
	matrix := func(name string, rows int) Param {
		fan := weights.FanInOut{In: float64(rows), Out: float64(l.HiddenSize)}
		p := Param{Name: name, Shape: []int{rows, l.HiddenSize}, Order: 'f'}
		p.Init = Drawn(l.WeightInit, p.Stored(), fan)
		p = l.Weight(p)
		p.Regularization = nil
		return p
	}
	r := Param{Name: "r", Shape: []int{}, Order: 'c', Kind: Scale, Updater: l.Updater, Init: Constant(0)}
	if l.ConfigureR {
		r.Init = Constant(l.InitialR)
	}
	return []Param{matrix("w", 1), matrix("v", l.NIn), r}
}

func (l OCNNOutput) output(c *Context, in Activation) *program.Value {
	hidden := c.Activate(l.Activation, c.MatMulT(in.Value, c.Params["v"]))
	return c.Apply(program.MatMul{}, hidden, c.Params["w"])
}

// Forward emits the formula.
func (l OCNNOutput) Forward(c *Context, in []Activation) Activation {
	return Activation{l.output(c, in[0]), in[0].Mask, inputtype.FeedForward(1)}
}

// Score emits each example's share of the score.
func (l OCNNOutput) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	if mask == nil {
		mask = in[0].Mask
	}
	if mask != nil {
		panic(&program.ShapeError{Op: "one-class loss", Shapes: []tensor.Shape{mask.Shape}, Reason: "it takes no mask"})
	}
	r := c.Params["r"]
	below := c.Max(c.Sub(r, c.Reshape(l.output(c, in[0]), c.Batch)), c.Fill(0))
	norms := c.Add(c.SumAll(c.Unary(program.Square, c.Params["w"])), c.SumAll(c.Unary(program.Square, c.Params["v"])))
	rest := c.Sub(c.Mul(norms, c.Fill(0.5)), r)
	return c.Mul(c.Add(c.Mul(below, c.Fill(1/l.Nu)), rest), c.Fill(1/float64(c.Batch)))
}

// LabelShape is [batch, 1].
func (l OCNNOutput) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	return tensor.Shape{batch, 1}
}
