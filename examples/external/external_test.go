package external

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/gradtest"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// The test program is driver and worker, so Main comes first.
func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// configuration has every part of a network that this package defines.
func configuration() nn.Configuration {
	return nn.Configuration{
		Seed:       1,
		Updater:    NewLion(0.01),
		WeightInit: Sparse{K: 3},
		InputType:  inputtype.FeedForward(4),
		Layers: []layer.Layer{
			GLU{NOut: 6},
			layer.Dense{NOut: 5, Activation: Squareplus{B: 0.5}},
			layer.Output{NOut: 1, Activation: activation.Identity{}, Loss: PseudoHuber{Delta: 0.5}},
		},
	}
}

func network(t *testing.T, c nn.Configuration) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(c)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(uint64(c.Seed))
	t.Cleanup(net.Close)
	return net
}

// opened is the data of the kind products.
func opened(t *testing.T, rows int) source.Source {
	t.Helper()
	s, err := source.Open(t.Context(), fmt.Sprintf("products:%d?phase=0", rows))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// minibatch has the first rows of the data.
func minibatch(t *testing.T, rows int) *data.MultiDataSet {
	t.Helper()
	m, err := source.Batches(opened(t, rows), rows).Next()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestData: mistakes in the name of data are errors that name them, and the kind is listed with the others.
func TestData(t *testing.T) {
	for text, want := range map[string]string{
		"products:none":         `"none" is not a number of rows`,
		"products:5?phase=half": "phase=half: a number should be here",
		"products:5?shape=1":    `unknown option "shape"`,
		"product:5":             "products:ROWS?phase=NUMBER",
	} {
		var wrong *source.SpecError
		if _, err := source.Open(t.Context(), text); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
	if name := opened(t, 5).Info().Name; name != "products:5?phase=0" {
		t.Errorf("the data's name is %s", name)
	}
}

// TestGradient compares the gradient of all parts with differences, also with dropout and masks.
func TestGradient(t *testing.T) {
	gradtest.Check(t, network(t, configuration()), minibatch(t, 5))

	c := configuration()
	c.Dropout = regularization.NewDropout(0.7)
	gradtest.Check(t, network(t, c), minibatch(t, 5))

	masked := minibatch(t, 3)
	masked.LabelMasks = []*tensor.Dense{tensor.MustOf([]float32{1, 0, 1}, 3, 1)}
	gradtest.Check(t, network(t, configuration()), masked)
}

// TestSettings: a network's settings reach the layer, and its own come first.
func TestSettings(t *testing.T) {
	c := configuration()
	c.Regularization = []regularization.Regularization{regularization.NewL2(0.1)}
	c.RegularizationBias = []regularization.Regularization{}
	c.BiasUpdater = updater.NewSgd()
	c.BiasInit = 0.25
	c.WeightNoise = regularization.NewDropConnect(0.5)
	c.WeightConstraints = []regularization.Constraint{regularization.NonNegative{}}
	c.Layers[0] = GLU{NOut: 6, Base: layer.Base{BiasInit: 0.5}}
	complete, err := c.Complete()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range complete.Layers[0].Params() {
		weight := p.Kind == layer.Weight
		if got := len(p.Regularization) + len(p.Constraints); weight && got != 2 || !weight && got != 0 {
			t.Errorf("%s: regularization %v, constraints %v", p.Name, p.Regularization, p.Constraints)
		}
		if got := p.Updater.Equal(NewLion(0.01)); got != weight {
			t.Errorf("%s: updater %v", p.Name, p.Updater)
		}
		if got := p.Noise != nil; got != weight {
			t.Errorf("%s: noise %v", p.Name, p.Noise)
		}
	}
	net := network(t, c)
	for _, p := range net.ParamTable()[:4] {
		x := net.Params()[p.Offset:][:p.Size]
		if p.Kind == layer.Bias && !slices.Equal(x, []float32{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}) {
			t.Errorf("%s begins with %v", p.Key, x)
		}
		if p.Kind == layer.Weight {
			zeros := 0
			for _, w := range x {
				if w == 0 {
					zeros++
				}
			}
			if zeros != 6*(4-3) {
				t.Errorf("%s has %d zeros: each of 6 outputs has 3 of 4 inputs", p.Key, zeros)
			}
		}
	}
	if penalty, err := net.Penalty(); err != nil || !(penalty > 0) {
		t.Errorf("the regularization's part of the score is %v, %v", penalty, err)
	}
	c.Layers = []layer.Layer{GLU{}}
	if _, err := nn.New(c); err == nil || !strings.Contains(err.Error(), "nOut is 0") {
		t.Errorf("a layer without a size: %v", err)
	}
}

// TestFiles: what a model file holds is what was saved, and the parts have the classes that they were registered under.
func TestFiles(t *testing.T) {
	net, m := network(t, configuration()), minibatch(t, 8)
	for i := range 3 {
		if _, err := net.Fit(m, nn.Key{Seed: 1, Example: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	path := temporary(t) + "/model.zip"
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	loaded, err := nn.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	text, err := loaded.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{"GLU", "Squareplus", "PseudoHuber", "Sparse", "Lion"} {
		if !strings.Contains(string(text), `"com.example.`+class+`"`) {
			t.Errorf("the configuration does not name %s", class)
		}
	}
	for range 2 { // they go on in the same way
		want, err := net.Fit(m, nn.Key{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Fit(m, nn.Key{Seed: 2})
		if err != nil || got != want || !alike(loaded, net) {
			t.Errorf("the loaded network's score is %v, not %v; error %v", got, want, err)
		}
	}
}

// TestTransfer: the layer can be frozen, fine-tuned and resized.
func TestTransfer(t *testing.T) {
	trained := network(t, configuration())
	frozen, err := nn.Transfer{Freeze: 1, FineTune: nn.FineTune{Updater: updater.NewSgd()}}.New(trained, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	if _, err := frozen.Fit(minibatch(t, 8), nn.Key{}); err != nil {
		t.Fatal(err)
	}
	first := 2 * (4*6 + 6) // the parameters of the GLU
	before, after := trained.Params(), frozen.Params()
	if !slices.Equal(after[:first], before[:first]) || slices.Equal(after[first:], before[first:]) {
		t.Error("the frozen layer has moved, or the others have not")
	}
	tanh := nn.FineTune{Activation: activation.TanH{}}
	wider, err := nn.Transfer{NOut: map[int]int{0: 9}, FineTune: tanh}.New(trained, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer wider.Close()
	if got, want := wider.NumParams(), 2*(4*9+9)+9*5+5+5+1; got != want {
		t.Errorf("%d parameters, not %d", got, want)
	}
	gradtest.Check(t, wider, minibatch(t, 3))
}

// TestGraph: the parts work in graphs, too.
func TestGraph(t *testing.T) {
	out := layer.Output{NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}
	g, err := nn.NewGraph(nn.GraphConfiguration{
		Inputs:     []string{"in"},
		InputTypes: []inputtype.Type{inputtype.FeedForward(4)},
		Outputs:    []string{"out"},
		Defaults:   nn.Configuration{Updater: NewLion(0.01)},
		Vertices: []nn.GraphVertex{
			{Name: "glu", Layer: GLU{NOut: 3}, Inputs: []string{"in"}},
			{Name: "out", Layer: out, Inputs: []string{"glu"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.Init(1)
	gradtest.Check(t, g, minibatch(t, 4))
	if s := g.Summary(); !strings.Contains(s, "GLU") {
		t.Errorf("the summary is\n%s", s)
	}
}

// alike says whether two networks have the same parameters and updater state.
func alike(a, b *nn.MultiLayer) bool {
	return slices.Equal(a.Params(), b.Params()) && slices.Equal(a.UpdaterState(), b.UpdaterState())
}

// temporary is a directory of the file system gz.
func temporary(t *testing.T) string {
	t.Helper()
	return scheme + filepath.ToSlash(t.TempDir())
}

func finite(params []float32) error {
	for i, p := range params {
		if math.IsNaN(float64(p)) || math.IsInf(float64(p), 0) {
			return fmt.Errorf("parameter %d is %v", i, p)
		}
	}
	return nil
}
