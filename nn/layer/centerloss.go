package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// CenterLossOutput is an Output whose loss also pulls the inputs x of each example towards the centre c of its class
// (Wen and others, "A discriminative feature learning approach for deep face recognition", 2016; Deeplearning4j:
// CenterLossOutputLayer). The loss of a row is Loss + Lambda/2·‖x − c‖². Labels are one-hot.
//
// The centres cL are parameters. They move by a pseudo-gradient, Alpha·Σ(c − x)/(1 + n) over the n examples of a
// class. Like gradients it is divided by the size of the minibatch; it is the update itself, without an updater. Label
// masks apply to Loss, not to the pull, as in Deeplearning4j.
type CenterLossOutput struct {
	Output
	Alpha  float64 `dl4j:"alpha"`  // 0.05 if a literal leaves it out
	Lambda float64 `dl4j:"lambda"` // 2e-4 if a literal leaves it out
	// GradientCheck makes Lambda·Alpha·Σ(c − x) the centres' gradient. With Alpha 1 that is the derivative of the
	// loss.
	GradientCheck bool `dl4j:"gradientCheck"`

	meant bool // see package literal
}

// NewCenterLossOutput returns a layer with Deeplearning4j's defaults: Alpha 0.05, Lambda 2e-4, softmax.
func NewCenterLossOutput(o Output) CenterLossOutput {
	if o.Activation == nil {
		o.Activation = activation.Softmax{}
	}
	return CenterLossOutput{Output: o, Alpha: 0.05, Lambda: 2e-4, meant: true}
}

// InputType is rows of nIn.
func (l CenterLossOutput) InputType() inputtype.Type { return RowInput(l.NIn) }

// Complete fills in settings that are left open.
func (l CenterLossOutput) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	o, err := l.Output.Complete(d, in)
	if err != nil {
		return nil, err
	}
	l.Output = o.(Output)
	literal.Fill(&l.meant, d.FromFile, literal.Usually(&l.Alpha, 0.05), literal.Usually(&l.Lambda, 2e-4))
	for name, x := range map[string]float64{"alpha": l.Alpha, "lambda": l.Lambda} {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return nil, fmt.Errorf("%s is %g: it must be a number of at least 0", name, x)
		}
	}
	if l.NoBias {
		return nil,
			fmt.Errorf("hasBias is false: a layer with center loss has a bias in files whatever is said; set it to true")
	}
	if n := l.Loss.Labels(l.NOut); n != l.NOut {
		return nil, fmt.Errorf("%T takes labels of %d columns: center loss needs one-hot labels of nOut, %d", l.Loss, n,
			l.NOut)
	}
	return l, nil
}

// MeansScore marks the layer as a [MeanScorer].
func (CenterLossOutput) MeansScore() {}

// Params are W [nIn, nOut], b [nOut] and the centres cL [nOut, nIn], which start at 0. The bias has the updater of the
// weights, as in Deeplearning4j, even if BiasUpdater is set.
func (l CenterLossOutput) Params() []Param {
	ps := l.Output.Params()
	for i := range ps {
		ps[i].Updater = l.Updater
	}
	return append(ps, Param{Name: "cL", Shape: []int{l.NOut, l.NIn}, Order: 'c', Kind: Scale,
		Updater: updater.NoOp{}, Init: Constant(0)})
}

// Score emits the loss of each row.
func (l CenterLossOutput) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	rows := l.Output.Score(c, in, labels, mask)
	x, centres := in[0].Value, c.Params["cL"]
	own := c.Apply(program.MatMul{}, labels, c.StopGradient(centres)) // of each row
	pull := c.Sum(c.Unary(program.Square, c.Sub(x, own)), 1)
	rows = c.Add(rows, c.Mul(pull, c.Fill(l.Lambda/2)))
	away := c.Mul(c.Sub(own, c.StopGradient(x)), c.Fill(l.Alpha))
	g := c.Apply(program.MatMul{TransA: true, OverBatch: true}, labels, away)
	if l.GradientCheck {
		g = c.Mul(g, c.Fill(l.Lambda))
	} else {
		g = c.Div(g, c.Add(c.Reshape(c.Sum(labels, 0), l.NOut, 1), c.Fill(1)))
	}
	// This loss of 0 has g as its gradient. It is added to the others, so that g is averaged or summed like their
	// gradients.
	none := c.WithGradient(c.Mul(c.SumAll(rows), c.Fill(0)), centres, g)
	return c.Add(rows, c.Mul(none, c.Fill(1/float64(c.Batch))))
}

func init() {
	Classes.Register(javaPackage+"CenterLossOutputLayer", func() Layer { return CenterLossOutput{} })
}
