package layer

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

var defaults = Defaults{Activation: activation.Sigmoid{}, WeightInit: weights.Xavier{}, Updater: updater.NewSgd(),
	GradientNormalization: NoNormalization, GradientNormalizationThreshold: 1, ConvolutionMode: Truncate}

func TestWindows(t *testing.T) {
	pair := func(x int) [2]int { return [2]int{x, x} }
	for _, c := range []struct {
		size, kernel, stride, padding, dilation int
		mode                                    ConvolutionMode
		out, before, after                      int // out 0: an error
	}{
		{28, 5, 1, 0, 1, Truncate, 24, 0, 0},
		{7, 2, 2, 0, 1, Truncate, 3, 0, 0},
		{7, 3, 2, 1, 1, Truncate, 4, 1, 1},
		{7, 3, 1, 0, 2, Truncate, 3, 0, 0},
		{7, 3, 2, 0, 1, Strict, 3, 0, 0},
		{8, 3, 2, 0, 1, Strict, 0, 0, 0},
		{4, 5, 1, 0, 1, Truncate, 0, 0, 0},
		{7, 3, 2, 5, 1, Same, 4, 1, 1},
		{8, 2, 1, 0, 1, Same, 8, 0, 1},
		{8, 3, 2, 0, 2, Same, 4, 1, 2},
		{5, 1, 3, 0, 1, Same, 2, 0, 0},
		{2, 5, 1, 0, 1, Same, 2, 2, 2},
	} {
		w := window2D{pair(c.kernel), pair(c.stride), pair(c.padding), pair(c.dilation), c.mode, "NCHW"}
		p, out, err := w.over(c.size, c.size)
		if c.out == 0 {
			if err == nil {
				t.Errorf("%+v: accepted", c)
			}
			continue
		}
		if err != nil || out != pair(c.out) || p.PadTop != c.before || p.PadBottom != c.after || p.PadLeft != c.before ||
			p.PadRight != c.after {
			t.Errorf("%+v: %v, padding %+v, %v", c, out, p, err)
		}
		if h, _ := p.Out(c.size, c.size, c.kernel, c.kernel); h != c.out {
			t.Errorf("%+v: the program's window gives %d", c, h)
		}
	}
}

// forward runs a layer in inference. Its parameters are 1, 2, 3, … in stored order.
func forward(t *testing.T, l Layer, in inputtype.Type, x, mask []float64) []float64 {
	t.Helper()
	l, err := l.Complete(defaults, []inputtype.Type{in})
	if err != nil {
		t.Fatal(err)
	}
	b := program.NewBuilder()
	batch := len(x) / in.Elements()
	a := Activation{Value: b.Const(x, in.Shape(batch)...), Type: in}
	if mask != nil {
		a.Mask = b.Const(mask, batch, 1)
	}
	c := &Context{Builder: b, Batch: batch, Params: map[string]*program.Value{}, Gradients: map[string]*program.Value{}}
	n := 0.0
	for _, p := range l.Params() {
		v := make([]float64, p.Shape.Size())
		for i := range v {
			n++
			v[i] = n
		}
		c.Params[p.Name] = b.Const(v, p.Stored()...)
	}
	out := l.Forward(c, []Activation{a})
	want, err := l.OutputType([]inputtype.Type{in})
	if err != nil || out.Type != want || !out.Value.Shape.Equal(want.Shape(batch)) {
		t.Fatalf("the output has the type %v and shape %v, OutputType says %v, %v", out.Type, out.Value.Shape, want, err)
	}
	b.Output("y", out.Value)
	e, err := naive.Compile[float64](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(&naive.Bindings[float64]{}); err != nil {
		t.Fatal(err)
	}
	return e.Output(0)
}

func compare(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if !near.Equal(got[i], want[i], 1e-12, 0) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

func TestFormulas(t *testing.T) {
	two, image := inputtype.FeedForward(2), inputtype.Convolutional(2, 3, 1)
	id := activation.Identity{}
	pixels := []float64{1, -2, 3, 4, 5, -6}
	// W is [2, 3] in 'f' order: columns (1, 2), (3, 4), (5, 6); b is 7, 8, 9.
	compare(t, "dense", forward(t, Dense{NOut: 3, Activation: id}, two, []float64{1, 10}, nil), 28, 51, 74)
	compare(t, "dense, masked", forward(t, Dense{NOut: 3, Activation: activation.Sigmoid{}}, two,
		[]float64{1, 10, 0, 0}, []float64{0, 1}),
		0, 0, 0, 1/(1+math.Exp(-7)), 1/(1+math.Exp(-8)), 1/(1+math.Exp(-9)))
	// The pre-activations 21, 43, 65 are normalised to −r, 0, r; the gain is 10, 11, 12.
	r := math.Sqrt(1.5)
	compare(t, "layer normalisation", forward(t, Dense{NOut: 3, LayerNorm: true, Activation: id}, two, []float64{1, 10},
		nil), 7-10*r, 8, 9+12*r)
	compare(t, "output, masked", forward(t, Output{NOut: 1, Activation: id, Loss: loss.MSE{}}, two,
		[]float64{1, 10, 1, 1}, []float64{1, 0}), 24, 0)
	// b is 1, W is 2, 3 over two columns.
	compare(t, "convolution", forward(t, Convolution2D{NOut: 1, Kernel: [2]int{1, 2}, Activation: id}, image, pixels,
		nil), -3, 6, 24, -7)
	compare(t, "convolution, same", forward(t, Convolution2D{NOut: 1, Kernel: [2]int{1, 2}, Mode: Same, NoBias: true,
		Activation: id}, image, pixels, nil),
		-3, 4, 3, 14, -7, -6)
	pool := Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{1, 1}}
	compare(t, "max", forward(t, pool, image, pixels, nil), 5, 5)
	pool.Pooling = AvgPooling
	compare(t, "average", forward(t, pool, image, pixels, nil), 2, 0)
	pool.Padding = [2]int{0, 1}
	compare(t, "average beside padding", forward(t, pool, image, pixels, nil), 2.5, 2, 0, -1.5)
	pool.IncludePad = true
	compare(t, "average with padding", forward(t, pool, image, pixels, nil), 1.25, 2, 0, -0.75)
	pool.Pooling = SumPooling
	compare(t, "sum", forward(t, pool, image, pixels, nil), 5, 8, 0, -3)
	pool.Pooling, pool.PNorm, pool.Padding = PNormPooling, 2, [2]int{}
	compare(t, "p-norm", forward(t, pool, image, pixels, nil), math.Sqrt(1+4+16+25), math.Sqrt(4+9+25+36))
	norm := NewBatchNormalization()
	norm.UseLogStd, norm.Eps = false, 1 // gamma 1, beta 2, mean 3, var 4
	compare(t, "batch normalisation", forward(t, norm, inputtype.Convolutional(1, 2, 1), []float64{3, 8},
		nil), 2, 2+math.Sqrt(5))
	norm.UseLogStd, norm.LockGammaBeta, norm.Gamma, norm.Beta, norm.Eps = true, true, 3, 5, 1e-9 // mean 1, log10stdev 2
	compare(t, "batch normalisation, locked", forward(t, norm, inputtype.FeedForward(1), []float64{201}, nil),
		5+3*200/math.Sqrt(1e4+1e-9))
}

func TestMembersWithoutEffectAreKept(t *testing.T) {
	conv, err := Convolution2D{NIn: 1, NOut: 2, Activation: activation.Identity{}}.Complete(defaults, []inputtype.Type{{}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := dl4j.Marshal(&conv)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"PREFER_FASTEST"`, `"NO_WORKSPACE"`, 1)
	other = strings.Replace(other, `"hasBias" : true`, `"hasBias" : false`, 1)
	if other == string(text) {
		t.Fatalf("nothing to change in %s", text)
	}
	var back Layer
	if err := dl4j.Unmarshal([]byte(other), &back); err != nil {
		t.Fatal(err)
	}
	if !back.(Convolution2D).NoBias {
		t.Error("hasBias is not read")
	}
	if again, err := dl4j.Marshal(&back); err != nil || string(again) != other {
		t.Errorf("written again: %s, %v; want %s", again, err, other)
	}
}

func TestDefaultsAreTaken(t *testing.T) {
	l, err := Dense{NIn: 2, NOut: 3, Base: Base{Updater: updater.NewAdam()}}.Complete(defaults, []inputtype.Type{{}})
	if err != nil {
		t.Fatal(err)
	}
	d := l.(Dense)
	if d.Activation != defaults.Activation || d.Updater != (updater.NewAdam()) ||
		d.GradientNormalizationThreshold != 1 || d.GainInit != 1 {
		t.Errorf("completed: %+v", d)
	}
	again, err := l.Complete(defaults, []inputtype.Type{{}})
	if err != nil || !reflect.DeepEqual(again, l) {
		t.Errorf("completing is not idempotent: %+v, %v", again, err)
	}
	// A layer with one setting of its own still gets the network's other settings.
	own, err := Dense{NIn: 2, NOut: 3, Base: Base{GradientNormalization: RenormalizeL2PerLayer}}.Complete(
		Defaults{Updater: updater.NewSgd(), WeightInit: defaults.WeightInit, Activation: defaults.Activation, BiasInit: 5,
			GradientNormalization: NoNormalization, GradientNormalizationThreshold: 2}, []inputtype.Type{{}})
	if err != nil {
		t.Fatal(err)
	}
	if o := own.(Dense); o.BiasInit != 5 || o.GradientNormalizationThreshold != 2 || o.GainInit != 1 {
		t.Errorf("a layer with a gradient normalisation of its own lost the defaults: %+v", o)
	}
}

// TestKerasBatchNormalization: γ and β are left out one by one, and the running variance averages unbiased variances.
func TestKerasBatchNormalization(t *testing.T) {
	norm := KerasBatchNormalization{Decay: 0.9, Eps: 1, NoScale: true} // beta 1, mean 2, var 3
	compare(t, "without γ", forward(t, norm, inputtype.FeedForward(1), []float64{4}, nil), 1+2/2.0)
	norm.NoScale, norm.NoCenter = false, true // gamma 1, mean 2, var 3
	compare(t, "without β", forward(t, norm, inputtype.FeedForward(1), []float64{4}, nil), 2/2.0)
	image := inputtype.Convolutional(1, 2, 1)
	for _, c := range []struct {
		unbiased bool
		want     float64
	}{{false, 5 - 0.9*5 - 0.1*5.25}, {true, 5 - 0.9*5 - 0.1*7}} {
		b := program.NewBuilder()
		params := map[string]*program.Value{"mean": b.Const([]float64{0}, 1), "var": b.Const([]float64{5}, 1)}
		ctx := &Context{Builder: b, Batch: 2, Training: true, Params: params, Gradients: map[string]*program.Value{}}
		l := KerasBatchNormalization{NIn: 1, Decay: 0.9, Eps: 1, NoScale: true, NoCenter: true, Unbiased: c.unbiased}
		// The mean is 3.5, and the variance 5.25 of 4 values.
		l.Forward(ctx, []Activation{{Value: b.Const([]float64{1, 2, 4, 7}, 2, 1, 1, 2), Type: image}})
		b.Output("var", ctx.Gradients["var"])
		e, err := naive.Compile[float64](b.Build())
		if err == nil {
			err = e.Run(&naive.Bindings[float64]{})
		}
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "step of the running variance", e.Output(0), c.want)
	}
}
