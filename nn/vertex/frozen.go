package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Frozen keeps the parameters of a vertex unchanged. The gradient passes through it. It has no effect on vertices
// without parameters. Deeplearning4j differs: its FrozenVertex stops training below it. Freeze a layer by
// [layer.Frozen].
type Frozen struct {
	Vertex Vertex `dl4j:"underlying"`
}

// Complete fills in settings of the vertex that are left open. In a file they stay open, because nothing is trained.
func (v Frozen) Complete(d layer.Defaults, in []inputtype.Type) (Vertex, error) {
	p, ok := v.Vertex.(Parametric)
	if !ok {
		return v, nil
	}
	within, err := p.Complete(d, in)
	if err == nil && !d.FromFile {
		v.Vertex = within
	}
	return v, err
}

// Settings leaves out the gradient normalisation: there are no gradients.
func (v Frozen) Settings() layer.Settings {
	return layer.Settings{GradientNormalization: layer.NoNormalization}
}

// Params returns the vertex's parameters, marked as frozen.
func (v Frozen) Params() []layer.Param {
	p, ok := v.Vertex.(Parametric)
	if !ok {
		return nil
	}
	ps := append([]layer.Param(nil), p.Params()...)
	for i := range ps {
		ps[i].Updater, ps[i].Regularization, ps[i].Frozen = updater.NoOp{}, nil, true
	}
	return ps
}

// OutputType is the inner vertex's.
func (v Frozen) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if v.Vertex == nil {
		return inputtype.Type{}, fmt.Errorf("there is no vertex to be frozen")
	}
	return v.Vertex.OutputType(in)
}

// Rows returns the inner vertex's number of rows.
func (v Frozen) Rows(in []int) int {
	if r, ok := v.Vertex.(layer.Rows); ok {
		return r.Rows(in)
	}
	return in[0]
}

// Forward runs the inner vertex, with parameters that no gradient reaches.
func (v Frozen) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	still := *c
	still.Params = map[string]*program.Value{}
	for name, p := range c.Params {
		still.Params[name] = c.StopGradient(p)
	}
	return v.Vertex.Forward(&still, in)
}

func init() {
	Classes.Register(javaPackage+"FrozenVertex", func() Vertex { return Frozen{} })
}
