package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func anomalous(t *testing.T, rate float64, a activation.Activation) (*MultiLayer, *data.MultiDataSet) {
	t.Helper()
	net := newNet(t, Configuration{Seed: 1, InputType: inputtype.FeedForward(3), Updater: updater.Sgd{LearningRate: rate},
		Layers: []layer.Layer{layer.Dense{NOut: 4, Activation: activation.TanH{}}, layer.Dense{NOut: 4, Activation: a},
			layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	return net, &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{1, 2, 3, -1, 0.5, 2}, 2, 3)},
		Labels: []*tensor.Dense{tensor.MustOf([]float32{1, 0, 0, 1}, 2, 2)}}
}

// TestAnomalies: the error names the layer and the operation where a number first is not finite, or a gradient
// explodes.
func TestAnomalies(t *testing.T) {
	set := func(net *MultiLayer, key string, x float32) {
		for _, p := range net.ParamTable() {
			if p.Key == key {
				net.Params()[p.Offset] = x
			}
		}
	}
	for name, c := range map[string]struct {
		limit    float64
		rate     float64
		prepare  func(net *MultiLayer)
		layer    string
		phase    program.Phase
		op, what string
	}{
		"a product overflows": {1000, 0.1, func(net *MultiLayer) {
			for _, p := range net.ParamTable() {
				if p.Key == "2_W" || p.Key == "1_W" {
					for i := range p.Size {
						net.Params()[p.Offset+i] = 3e38
					}
				}
			}
		}, "layer 1", program.Forward, "matmul", "Inf"},
		"the loss overflows": {1000, 0.1, func(net *MultiLayer) { set(net, "2_b", 1e30) }, "layer 2", program.Forward,
			"square", "Inf, from operands of up to 1e+30"},
		"the gradient explodes": {1000, 0.1, func(net *MultiLayer) { set(net, "2_b", 1e6) }, "layer 2", program.Backward,
			"", "above 1e+03"},
		"the update overflows": {1000, 1e38, func(net *MultiLayer) { set(net, "2_b", 100) }, "layer", program.Updating,
			"", "is not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			net, m := anomalous(t, c.rate, activation.Identity{})
			c.prepare(net)
			net.DetectAnomalies(c.limit)
			before := slices.Clone(net.Params())
			_, err := net.Fit(m, Key{})
			var a *AnomalyError
			if !errors.As(err, &a) {
				t.Fatal(err)
			}
			if !strings.HasPrefix(a.Layer, c.layer) || a.Phase != c.phase || c.op != "" && a.Op != c.op ||
				!strings.Contains(a.What, c.what) {
				t.Errorf("%v", err)
			}
			if c.phase != program.Updating && !slices.Equal(before, net.Params()) {
				t.Error("the step has changed the parameters")
			}
		})
	}
}

// TestNoAnomaly: a step with the search for anomalies has the same result as one without, bit for bit.
func TestNoAnomaly(t *testing.T) {
	plain, m := anomalous(t, 0.1, activation.ReLU{})
	looked, _ := anomalous(t, 0.1, activation.ReLU{})
	looked.DetectAnomalies(DefaultGradientLimit)
	for i := range 5 {
		a, err := plain.Fit(m, Key{Example: uint64(i)})
		b, err2 := looked.Fit(m, Key{Example: uint64(i)})
		if err != nil || err2 != nil || a != b {
			t.Fatalf("%v and %v, %v, %v", a, b, err, err2)
		}
	}
	if !slices.Equal(plain.Params(), looked.Params()) {
		t.Error("other parameters")
	}
	m.Features[0].Data[0] = float32(math.NaN())
	var values *data.ValueError
	if _, err := looked.Fit(m, Key{}); !errors.As(err, &values) {
		t.Errorf("NaN in the data: %v", err)
	}
}

// TestProfile: a timed step has the same result as any other, and the profile lists the operations of each layer and
// phase.
func TestProfile(t *testing.T) {
	plain, m := anomalous(t, 0.1, activation.ReLU{})
	timed, _ := anomalous(t, 0.1, activation.ReLU{})
	e := cpu.New(cpu.Options{Threads: 1})
	defer e.Close()
	timed.SetExecutor(e)
	p := &program.Profile{}
	if err := timed.SetProfile(p); err != nil {
		t.Fatal(err)
	}
	const steps = 3
	for range steps {
		if _, err := plain.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
		if _, err := timed.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(plain.Params(), timed.Params()) {
		t.Error("other parameters")
	}
	products := map[program.Scope]int64{}
	for _, c := range p.Take() {
		if c.Layer == "" || c.Phase == "" || c.Times%steps != 0 {
			t.Errorf("%+v", c)
		}
		if strings.Split(c.Op, "+")[0] == "matmul" { // alone, or with elementwise operations
			products[c.Scope] += c.Times
		}
	}
	for _, name := range []string{"layer0", "layer1", "layer2"} {
		forward, backward := products[program.Scope{Layer: name, Phase: program.Forward}],
			products[program.Scope{Layer: name, Phase: program.Backward}]
		if forward != steps || backward < steps {
			t.Errorf("%s: %d and %d products", name, forward, backward)
		}
	}
	if again := p.Take(); len(again) > 0 {
		t.Errorf("taken twice: %v", again)
	}
}
