package nn

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// eachClass runs f for each class with the class's zero value and with the value read from a file without members.
func eachClass[T any](t *testing.T, classes *dl4j.Classes[T], f func(t *testing.T, zero, usual T)) {
	for _, name := range classes.Names() {
		t.Run(name[strings.LastIndexByte(name, '.')+1:], func(t *testing.T) {
			var usual T
			if err := dl4j.Unmarshal([]byte(`{"@class":"`+name+`"}`), &usual); err != nil {
				t.Fatal(err)
			}
			f(t, reflect.Zero(reflect.TypeOf(usual)).Interface().(T), usual)
		})
	}
}

// numbers calls f with each number of a struct, embedded ones included.
func numbers(v reflect.Value, f func(name string, x reflect.Value)) {
	for i := range v.NumField() {
		switch field := v.Type().Field(i); {
		case field.Anonymous && v.Field(i).Kind() == reflect.Struct:
			numbers(v.Field(i), f)
		case !field.IsExported():
		case v.Field(i).CanFloat(), v.Field(i).CanInt():
			f(field.Name, v.Field(i))
		}
	}
}

// wantUsual reports numbers that are 0 in got but not in usual.
func wantUsual(t *testing.T, got, usual any) {
	t.Helper()
	have := map[string]bool{}
	numbers(reflect.ValueOf(got), func(name string, x reflect.Value) { have[name] = !x.IsZero() })
	numbers(reflect.ValueOf(usual), func(name string, x reflect.Value) {
		if !x.IsZero() && !have[name] {
			t.Errorf("%T{}: %s is 0, usually %v", got, name, x)
		}
	})
}

// TestZeroUpdaters: fields that a literal leaves out have their defaults, in every updater.
func TestZeroUpdaters(t *testing.T) {
	eachClass(t, updater.Classes, func(t *testing.T, zero, usual updater.Updater) {
		c := mixed()
		c.Updater, c.BiasUpdater = zero, zero
		net := newNet(t, c)
		got := net.Config().Layers[0].(layer.Convolution2D).Updater
		wantUsual(t, got, usual)
		if !got.Equal(usual) || !zero.Equal(usual) {
			t.Errorf("the zero value means %+v, usual is %+v", got, usual)
		}
		net.Init(1)
		for i := range 3 {
			if _, err := net.Fit(examples(8, 36, 3), Key{Seed: 1, Epoch: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		text, err := net.Configuration()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Replica(text)
		if err != nil {
			t.Fatal(err)
		}
		layers, _ := As[*MultiLayer](again)
		if back := layers.Config().Layers[0].(layer.Convolution2D).Updater; !back.Equal(got) {
			t.Errorf("its file means %+v, not %+v", back, got)
		}
	})
}

// TestMeantZeros: zeros from a file, from New… functions, and beside schedules are kept.
func TestMeantZeros(t *testing.T) {
	adam := updater.NewAdam()
	adam.Beta1 = 0
	nesterovs := updater.NewNesterovs()
	nesterovs.LearningRate, nesterovs.Momentum = 0, 0
	lstm := layer.NewLSTM(4)
	lstm.ForgetGateBiasInit = 0
	lstm.Updater = adam
	out := layer.RnnOutput{NOut: 2, Loss: loss.MSE{}}
	out.Updater = nesterovs
	out.BiasUpdater = updater.Sgd{LearningRateSchedule: updater.FixedSchedule{V: 0.5}}
	c := Configuration{InputType: inputtype.Recurrent(3, 5), AnyOutput: true, Layers: []layer.Layer{lstm, out}}
	check := func(what string, c Configuration) {
		t.Helper()
		l, o := c.Layers[0].(layer.LSTM), c.Layers[1].(layer.RnnOutput)
		if u := l.Updater.(updater.Adam); l.ForgetGateBiasInit != 0 || u.Beta1 != 0 || u.Beta2 != 0.999 {
			t.Errorf("%s: %+v", what, l)
		}
		if u := o.Updater.(updater.Nesterovs); u.LearningRate != 0 || u.Momentum != 0 {
			t.Errorf("%s: %+v", what, u)
		}
		if u := o.BiasUpdater.(updater.Sgd); u.LearningRate != 0 {
			t.Errorf("%s: the rate beside the schedule is %v", what, u.LearningRate)
		}
	}
	net := newNet(t, c)
	check("made", net.Config())
	check("completed again", newNet(t, net.Config()).Config())
	text, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Replica(text)
	if err != nil {
		t.Fatal(err)
	}
	layers, _ := As[*MultiLayer](read)
	check("read", layers.Config())
	check("read and cloned", layers.Clone().Config())
}

// TestZeroLayers completes every layer with nothing but its size set. Numbers that are usually not 0 get another
// value, or the layer is refused.
func TestZeroLayers(t *testing.T) {
	types := []inputtype.Type{inputtype.FeedForward(6), inputtype.Recurrent(6, 5), inputtype.Convolutional(8, 8, 3),
		inputtype.Convolutional3D(8, 8, 8, 3)}
	made := []layer.Layer{layer.NewAutoEncoder(4), layer.NewCenterLossOutput(layer.Output{}), layer.NewOCNNOutput(4),
		layer.NewYolo2Output([2]float64{1, 1})} // in their files, all members are present
	d := (&Configuration{}).defaults()
	eachClass(t, layer.Classes, func(t *testing.T, zero, usual layer.Layer) {
		for _, m := range made {
			if reflect.TypeOf(m) == reflect.TypeOf(usual) {
				usual = m
			}
		}
		for _, in := range types {
			v := reflect.New(reflect.TypeOf(zero)).Elem()
			set := func(name string, x any) {
				if f := v.FieldByName(name); f.IsValid() {
					f.Set(reflect.ValueOf(x))
				}
			}
			set("NOut", 4)
			set("Loss", loss.MSE{})
			set("Boxes", layer.BoxPriors{Shape: []int{1, 2}, Data: []float64{1, 1}})
			l, err := layer.Complete(v.Interface().(layer.Layer), d, []inputtype.Type{in})
			if err != nil {
				continue // refused, as its message says
			}
			wantUsual(t, l, usual)
		}
	})
	for _, l := range []layer.Layer{layer.LSTM{NOut: 4}, layer.GravesLSTM{NOut: 4},
		layer.GravesBidirectionalLSTM{NOut: 4}} {
		got := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 5), AnyOutput: true,
			Layers: []layer.Layer{l, layer.RnnOutput{NOut: 2, Loss: loss.MSE{}}}}).Config().Layers[0]
		if forget := reflect.ValueOf(got).FieldByName("ForgetGateBiasInit").Float(); forget != 1 {
			t.Errorf("%T{NOut: 4}: forget bias %v", l, forget)
		}
	}
}

// bare is a layer whose parameter lacks a required property.
type bare struct {
	layer.Dense
	lacks func(*layer.Param)
}

func (l bare) Complete(d layer.Defaults, in []inputtype.Type) (layer.Layer, error) {
	dense, err := l.Dense.Complete(d, in)
	if err == nil {
		l.Dense = dense.(layer.Dense)
	}
	return l, err
}

func (l bare) Params() []layer.Param {
	ps := l.Dense.Params()
	l.lacks(&ps[0])
	return ps
}

// TestParametersThatLackSomething: they are refused with the names of the layer and the parameter.
func TestParametersThatLackSomething(t *testing.T) {
	for _, lacks := range []func(*layer.Param){
		func(p *layer.Param) { p.Init = nil },
		func(p *layer.Param) { p.Updater = nil },
	} {
		_, err := New(Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
			bare{layer.Dense{NOut: 2, Base: layer.Base{Name: "own"}}, lacks}, layer.Output{NOut: 2, Loss: loss.MSE{}}}})
		if err == nil || !strings.Contains(err.Error(), "own") || !strings.Contains(err.Error(), "parameter W") {
			t.Errorf("refused with %v", err)
		}
	}
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
		bare{layer.Dense{NOut: 2}, func(p *layer.Param) {
			p.Updater = updater.Adam{LearningRate: 0.01}
			p.Init = func(x []float32, _ *weights.Source) { clear(x) }
		}}, layer.Output{NOut: 2, Loss: loss.MSE{}}}})
	net.Init(1)
	if _, err := net.Fit(examples(4, 3, 2), Key{}); err != nil || math.IsNaN(float64(net.Params()[0])) {
		t.Errorf("an updater that a layer leaves unfinished: %v, %v", err, net.Params()[0])
	}
}

// TestZeroParts: the zero value of every activation and loss computes the same as ByName's value and is written like
// it. Zeros from a file are kept.
func TestZeroParts(t *testing.T) {
	written := func(t *testing.T, v any) string {
		t.Helper()
		text, err := dl4j.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	eachClass(t, activation.Classes, func(t *testing.T, zero, usual activation.Activation) {
		if got, want := written(t, &zero), written(t, &usual); got != want {
			t.Errorf("the file says %s, usual is %s", got, want)
		}
		emit := func(a activation.Activation, training bool) string {
			b := program.NewBuilder()
			b.Output("y", a.Apply(b, b.Input("z", 4, 6), activation.Env{Training: training, Stream: 3}))
			var text strings.Builder
			b.Build().Dump(&text)
			return text.String()
		}
		for _, training := range []bool{false, true} {
			if got, want := emit(zero, training), emit(usual, training); got != want {
				t.Errorf("%T{} computes\n%s\nusual is\n%s", zero, got, want)
			}
		}
	})
	eachClass(t, loss.Classes, func(t *testing.T, zero, usual loss.Loss) {
		if zero.Validate(2, activation.Softmax{}) != nil && usual.Validate(2, activation.Softmax{}) == nil {
			return // refused
		}
		if got, want := written(t, &zero), written(t, &usual); got != want {
			t.Errorf("the file says %s, usual is %s", got, want)
		}
	})
	alpha, usual := regularization.Dropout(regularization.AlphaDropout{P: 0.5}),
		regularization.Dropout(regularization.NewAlphaDropout(0.5))
	if got, want := written(t, &alpha), written(t, &usual); got != want {
		t.Errorf("the file says %s, usual is %s", got, want)
	}
	eachClass(t, vertex.Classes, func(t *testing.T, zero, usual vertex.Vertex) {
		switch zero.(type) {
		case vertex.L2, vertex.L2Normalize, vertex.Scale:
			if got, want := written(t, &zero), written(t, &usual); got != want {
				t.Errorf("the file says %s, usual is %s", got, want)
			}
		}
	})
	for _, text := range []string{
		`{"@class":"org.deeplearning4j.nn.conf.graph.L2Vertex","eps":0.0}`,
		`{"@class":"org.deeplearning4j.nn.conf.graph.L2NormalizeVertex","dimension":[],"eps":0.0}`,
		`{"@class":"org.deeplearning4j.nn.conf.graph.ScaleVertex","scaleFactor":0.0}`,
	} {
		var v vertex.Vertex
		if err := dl4j.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(written(t, &v)), ""); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{
		`{"@class":"org.nd4j.linalg.activations.impl.ActivationELU","alpha":0.0}`,
		`{"@class":"org.nd4j.linalg.activations.impl.ActivationLReLU","alpha":0.0}`,
		`{"@class":"org.nd4j.linalg.activations.impl.ActivationRReLU","l":0.0,"u":0.0}`,
		`{"@class":"org.nd4j.linalg.activations.impl.ActivationThresholdedReLU","theta":0.0}`,
	} {
		var a activation.Activation
		if err := dl4j.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(written(t, &a)), ""); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{
		`{"@class":"org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT","clipEps":0.0}`,
		`{"@class":"org.nd4j.linalg.lossfunctions.impl.LossMCXENT","softmaxClipEps":0.0}`,
		`{"@class":"org.nd4j.linalg.lossfunctions.impl.LossNegativeLogLikelihood","softmaxClipEps":0.0}`,
		`{"@class":"org.nd4j.linalg.lossfunctions.impl.LossSparseMCXENT","softmaxClipEps":0.0}`,
	} {
		var l loss.Loss
		if err := dl4j.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(written(t, &l)), ""); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}
