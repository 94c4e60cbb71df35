package nn

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func ocnnNet(t *testing.T, change func(*layer.OCNNOutput)) *MultiLayer {
	l := layer.NewOCNNOutput(4)
	l.Activation, l.Nu = activation.Sigmoid{}, 0.3
	if change != nil {
		change(&l)
	}
	return newNet(t, Configuration{InputType: inputtype.FeedForward(3), Activation: activation.TanH{},
		Updater:        updater.Sgd{LearningRate: 0.1},
		Regularization: []regularization.Regularization{regularization.NewL2(0.1)},
		Layers:         []layer.Layer{layer.Dense{NOut: 5}, l}})
}

func ocnnData(rows int) *data.MultiDataSet {
	return &data.MultiDataSet{Features: []*tensor.Dense{normals(3, rows, 3)}, Labels: []*tensor.Dense{tensor.New(rows, 1)}}
}

func TestGradientsOfOCNN(t *testing.T) {
	for name, change := range map[string]func(*layer.OCNNOutput){
		"r below and above outputs": func(l *layer.OCNNOutput) { l.InitialR = 0.2 },
		"r above":                   func(l *layer.OCNNOutput) { l.InitialR = 5 },
		"tanh":                      func(l *layer.OCNNOutput) { l.Activation = activation.TanH{} },
	} {
		if err := gradientDiffers(t, ocnnNet(t, change), ocnnData(7), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOCNNsOwnGradient compares the gradient of the layer's own parameters with Deeplearning4j's.
func TestOCNNsOwnGradient(t *testing.T) {
	c := oracleCase{dir: filepath.Join("..", "testdata", "oracle", "nets", "ocnn")}
	c.read(t)
	net := oracleLoad(t, filepath.Join(c.dir, "model.zip"))
	_, got, err := net.Gradient(c.data(t), Key{})
	if err != nil {
		t.Fatal(err)
	}
	first := net.ParamTable()[2].Offset
	oracleClose(t, "gradient of w, v and r", got[first:], c.array(t, "gradient").Data[first:], 1e-6, 1e-4, nil)
}

func TestOCNN(t *testing.T) {
	with := ocnnNet(t, func(l *layer.OCNNOutput) { l.InitialR = 0.7 })
	if r := with.Params()[with.NumParams()-1]; r != 0.7 {
		t.Errorf("r is %v at first, want 0.7", r)
	}
	m := ocnnData(40)
	out, err := with.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	y := slices.Sorted(slices.Values(out[0].Data))
	for below, want := range map[int]float64{12: 0, 6: -0.5, 24: 1} { // the fraction nu, its half, its double
		with.Params()[with.NumParams()-1] = (y[below-1] + y[below]) / 2
		_, g, err := with.Gradient(m, Key{})
		if err != nil || !near.Equal(float64(g[len(g)-1]), want, 1e-5, 0) {
			t.Errorf("with %d of 40 outputs below r its gradient is %v, want %v (%v)", below, g[len(g)-1], want, err)
		}
	}
	m.LabelMasks = []*tensor.Dense{tensor.New(40, 1)}
	if _, err := with.Score(m, false); err == nil || !strings.Contains(err.Error(), "mask") {
		t.Errorf("with a mask the error is %v", err)
	}
}

func TestOCNNRefuses(t *testing.T) {
	for want, change := range map[string]func(*layer.OCNNOutput){
		"nu":            func(l *layer.OCNNOutput) { l.Nu = 0 },
		"hiddenSize":    func(l *layer.OCNNOutput) { l.HiddenSize = 0 },
		"nOut":          func(l *layer.OCNNOutput) { l.NOut = 2 },
		"windowSize":    func(l *layer.OCNNOutput) { l.WindowSize = -1 },
		"initialRValue": func(l *layer.OCNNOutput) { l.InitialR /= 0 * l.Nu },
	} {
		l := layer.NewOCNNOutput(4)
		change(&l)
		_, err := New(Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{l}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}
