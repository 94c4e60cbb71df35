package nn

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

const kerasUnits = 2

// kerasGRU is a case of testdata/oracle/gru.json.
type kerasGRU struct {
	Name, Both, Activation, Gate        string
	Masked, Bias, ResetAfter, Sequences bool
	X, Output, Labels                   []float32
	Loss                                float64
	Weights, Gradients                  [][]float32
}

// TestGRUOfKeras compares outputs, loss and gradient with Keras, in one direction and in both, with and without masks.
func TestGRUOfKeras(t *testing.T) {
	var all struct {
		Mask  []float32
		Cases []kerasGRU
	}
	b, err := os.ReadFile("../testdata/oracle/gru.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) { c.compare(t, all.Mask) })
	}
}

func (c kerasGRU) compare(t *testing.T, mask []float32) {
	const rows, steps, inputs = 4, 5, 3
	in := inputtype.Recurrent(inputs, steps)
	in.Format = inputtype.NWC
	net := newNet(t, c.configuration(in))
	copy(net.Params(), c.flat(c.Weights))
	shape := tensor.Shape{rows, len(c.Output) / rows}
	if c.Sequences {
		shape = tensor.Shape{rows, steps, len(c.Output) / rows / steps}
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(c.X, rows, steps, inputs)},
		Labels: []*tensor.Dense{tensor.MustOf(c.Labels, shape...)}}
	if c.Masked {
		m.FeatureMasks = []*tensor.Dense{tensor.MustOf(mask, rows, steps)}
		if c.Sequences { // Keras' loss counts every step
			m.LabelMasks = []*tensor.Dense{tensor.New(rows, steps)}
			for i := range m.LabelMasks[0].Data {
				m.LabelMasks[0].Data[i] = 1
			}
		}
	}
	out, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	nearTo(t, "output", out[0].Data, c.Output)
	score, gradient, err := net.Gradient(m, Key{})
	if err != nil {
		t.Fatal(err)
	}
	if !near.Equal(score, c.Loss, 1e-5, 0) {
		t.Errorf("the loss is %v, want %v", score, c.Loss)
	}
	got := make([]float32, len(gradient))
	for i, g := range gradient {
		got[i] = g / rows
	}
	nearTo(t, "gradient", got, c.flat(c.Gradients))
}

func nearTo(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", name, len(got), len(want))
	}
	for i := range want {
		if !near.Equal(got[i], want[i], 1e-5, 2e-6) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

// configuration returns Keras' layer, followed by the loss.
func (c kerasGRU) configuration(in inputtype.Type) Configuration {
	gru := layer.GRU{NOut: kerasUnits, NoBias: layer.Not(!c.Bias), ResetBefore: layer.Not(!c.ResetAfter),
		ZeroMasked: c.Both != "", Activation: activation.TanH{}}
	if c.Activation == "softsign" {
		gru.Activation = activation.SoftSign{}
	}
	if c.Gate == "tanh" {
		gru.GateActivation = activation.TanH{}
	}
	var l, end layer.Layer = gru, layer.RnnLoss{Activation: activation.Identity{}, Loss: loss.MSE{}}
	if !c.Sequences {
		l, end = layer.NewLastTimeStep(gru), layer.Loss{Activation: activation.Identity{}, Loss: loss.MSE{}}
	}
	switch c.Both {
	case "concat":
		l = layer.NewBidirectional(layer.BidirectionalConcat, l)
	case "sum":
		l = layer.NewBidirectional(layer.BidirectionalAdd, l)
	}
	return Configuration{InputType: in, Layers: []layer.Layer{l, end}}
}

// flat arranges Keras' arrays like the flat vector: matrices by columns, and the two rows of a bias one after the
// other.
func (c kerasGRU) flat(arrays [][]float32) (all []float32) {
	const columns = 3 * kerasUnits
	for i, a := range arrays {
		if c.Bias && i%3 == 2 {
			all = append(all, a...)
			continue
		}
		for col := range columns {
			for row := range len(a) / columns {
				all = append(all, a[row*columns+col])
			}
		}
	}
	return all
}
