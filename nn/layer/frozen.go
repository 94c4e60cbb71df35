package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Frozen stops the training of a layer. Its parameters do not move and have neither updater state nor regularisation.
// The layer always runs as in inference, without dropout. No gradient reaches the layers below it (Deeplearning4j:
// misc.FrozenLayer).
type Frozen struct {
	Bare
	Layer Layer `dl4j:"layer,creator"`
}

// FrozenWithBackprop is [Frozen] with two differences: the gradient passes through it, and its parameters have updater
// state, which does not change (Deeplearning4j: misc.FrozenLayerWithBackprop, where regularisation still moves the
// parameters).
type FrozenWithBackprop struct {
	Bare
	Layer Layer `dl4j:"underlying"`
}

// completeFrozen completes the inner layer. The wrapper takes over settings that it does not have.
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

// frozenParams returns the layer's parameters, marked as frozen.
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

// frozenForward runs the layer in inference, with parameters that no gradient reaches.
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

// Settings returns the settings of the wrapper, without dropout.
func (l Frozen) Settings() Settings { return frozenSettings(l.Bare) }

func frozenSettings(b Bare) Settings {
	return Settings{Name: b.Name, GradientNormalization: NoNormalization}
}

// Preprocessor is the inner layer's.
func (l Frozen) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the inner layer's.
func (l Frozen) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Layer.OutputType(in)
}

// Params returns the inner layer's parameters, frozen.
func (l Frozen) Params() []Param { return frozenParams(l.Layer, true) }

// Sizes returns the inner layer's sizes; 0 if it has none.
func (l Frozen) Sizes() (nIn, nOut int) { return sizes(l.Layer) }

// CheckInput calls the inner layer's CheckInput, if it has one.
func (l Frozen) CheckInput(x []float32) error { return checkInput(l.Layer, x) }

// Forward runs the inner layer in inference; no gradient reaches the inputs.
func (l Frozen) Forward(c *Context, in []Activation) Activation {
	still := make([]Activation, len(in))
	for i, a := range in {
		a.Value = c.StopGradient(a.Value)
		still[i] = a
	}
	return frozenForward(l.Layer, c, still)
}

// Rows returns the inner layer's number of rows.
func (l Frozen) Rows(in []int) int { return rowsOf(l.Layer, in) }

// Rows returns the inner layer's number of rows.
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

// Settings returns the settings of the wrapper, without dropout.
func (l FrozenWithBackprop) Settings() Settings { return frozenSettings(l.Bare) }

// Preprocessor is the inner layer's.
func (l FrozenWithBackprop) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Layer, in)
}

// OutputType is the inner layer's.
func (l FrozenWithBackprop) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Layer.OutputType(in)
}

// Params returns the inner layer's parameters, frozen.
func (l FrozenWithBackprop) Params() []Param { return frozenParams(l.Layer, false) }

// Sizes returns the inner layer's sizes; 0 if it has none.
func (l FrozenWithBackprop) Sizes() (nIn, nOut int) { return sizes(l.Layer) }

// CheckInput calls the inner layer's CheckInput, if it has one.
func (l FrozenWithBackprop) CheckInput(x []float32) error { return checkInput(l.Layer, x) }

// Forward runs the inner layer in inference.
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
