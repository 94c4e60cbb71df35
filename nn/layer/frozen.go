package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Frozen stops the training of a layer: its parameters do not move and have neither updater state nor regularisation,
// and the layer always runs as in inference, without dropout. No gradient reaches the layers below it (Deeplearning4j:
// misc.FrozenLayer).
type Frozen struct {
	Bare
	Layer Layer `dl4j:"layer,creator"`
}

// FrozenWithBackprop is [Frozen], but the gradient passes through it, and its parameters have updater state, which does
// not change (Deeplearning4j: misc.FrozenLayerWithBackprop, where regularisation still moves the parameters).
type FrozenWithBackprop struct {
	Bare
	Layer Layer `dl4j:"underlying"`
}

// completeFrozen completes the layer within and takes over its settings where the wrapper has none.
func completeFrozen(b Bare, l Layer, d Defaults, in []inputtype.Type) (Bare, Layer, error) {
	if l == nil {
		return b, nil, fmt.Errorf("there is no layer to freeze")
	}
	if _, scorer := l.(Scorer); scorer {
		return b, nil, fmt.Errorf("%T has a loss: output layers cannot be frozen", l)
	}
	if b.Dropout != nil {
		return b, nil, fmt.Errorf("idropout of a frozen layer has no effect: leave it out")
	}
	if b.Name != "" {
		d.Name = b.Name
	}
	l, err := l.Complete(d, in)
	if err != nil {
		return b, nil, err
	}
	s := l.Settings()
	if b.Name == "" {
		b.Name = s.Name
	}
	if b.GradientNormalization == "" {
		b.GradientNormalization, b.GradientNormalizationThreshold = s.GradientNormalization, s.GradientNormalizationThreshold
	}
	if b.GradientNormalization == "" {
		b.GradientNormalization = NoNormalization
	}
	return b, l, nil
}

// frozenParams are the layer's parameters, which nothing moves.
func frozenParams(l Layer, stateless bool) []Param {
	ps := append([]Param(nil), l.Params()...)
	for i := range ps {
		ps[i].Regularization, ps[i].Noise, ps[i].Constraints, ps[i].Frozen = nil, nil, nil, true
		if stateless {
			ps[i].Updater = updater.NoOp{}
		}
	}
	return ps
}

// frozenForward is the layer in inference, with parameters that no gradient reaches.
func frozenForward(l Layer, c *Context, in []Activation) Activation {
	still := *c
	still.Training = false
	still.Params = map[string]*program.Value{}
	for name, p := range c.Params {
		still.Params[name] = c.StopGradient(p)
	}
	return l.Forward(&still, in)
}

// Complete fills in settings that are left open, in the inner layer, too.
func (l Frozen) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	var err error
	l.Bare, l.Layer, err = completeFrozen(l.Bare, l.Layer, d, in)
	return l, err
}

// Settings are the layer's, without dropout.
func (l Frozen) Settings() Settings { return frozenSettings(l.Bare) }

func frozenSettings(b Bare) Settings {
	return Settings{Name: b.Name, GradientNormalization: NoNormalization}
}

// Preprocessor is the layer's.
func (l Frozen) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the layer's.
func (l Frozen) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Layer.OutputType(in)
}

// Params are the layer's.
func (l Frozen) Params() []Param { return frozenParams(l.Layer, true) }

// Sizes are the layer's; 0 where it has none.
func (l Frozen) Sizes() (nIn, nOut int) { return sizes(l.Layer) }

// CheckInput is the layer's.
func (l Frozen) CheckInput(x []float32) error { return checkInput(l.Layer, x) }

// Forward is the layer's in inference; no gradient reaches the inputs.
func (l Frozen) Forward(c *Context, in []Activation) Activation {
	still := make([]Activation, len(in))
	for i, a := range in {
		a.Value = c.StopGradient(a.Value)
		still[i] = a
	}
	return frozenForward(l.Layer, c, still)
}

// Rows are the layer's.
func (l Frozen) Rows(in []int) int { return rowsOf(l.Layer, in) }

// Rows are the layer's.
func (l FrozenWithBackprop) Rows(in []int) int { return rowsOf(l.Layer, in) }

func rowsOf(l Layer, in []int) int {
	if r, ok := l.(Rows); ok {
		return r.Rows(in)
	}
	return in[0]
}

// Complete fills in settings that are left open, in the inner layer, too.
func (l FrozenWithBackprop) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	var err error
	l.Bare, l.Layer, err = completeFrozen(l.Bare, l.Layer, d, in)
	return l, err
}

// Settings are the layer's, without dropout.
func (l FrozenWithBackprop) Settings() Settings { return frozenSettings(l.Bare) }

// Preprocessor is the layer's.
func (l FrozenWithBackprop) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the layer's.
func (l FrozenWithBackprop) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Layer.OutputType(in)
}

// Params are the layer's.
func (l FrozenWithBackprop) Params() []Param { return frozenParams(l.Layer, false) }

// Sizes are the layer's; 0 where it has none.
func (l FrozenWithBackprop) Sizes() (nIn, nOut int) { return sizes(l.Layer) }

// CheckInput is the layer's.
func (l FrozenWithBackprop) CheckInput(x []float32) error { return checkInput(l.Layer, x) }

// Forward is the layer's in inference.
func (l FrozenWithBackprop) Forward(c *Context, in []Activation) Activation {
	return frozenForward(l.Layer, c, in)
}

func sizes(l Layer) (nIn, nOut int) {
	if s, ok := l.(Sized); ok {
		return s.Sizes()
	}
	return 0, 0
}

func checkInput(l Layer, x []float32) error {
	if s, ok := l.(InputChecker); ok {
		return s.CheckInput(x)
	}
	return nil
}

func init() {
	Classes.Register(javaPackage+"misc.FrozenLayer", func() Layer { return Frozen{} })
	Classes.Register(javaPackage+"misc.FrozenLayerWithBackprop", func() Layer { return FrozenWithBackprop{} })
}
