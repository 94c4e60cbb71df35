package gradtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/gradtest"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// off is the identity with a gradient that is wrong by By.
type off struct{ By float64 }

func (o off) Apply(b *program.Builder, z *program.Value, _ activation.Env) *program.Value {
	return b.WithGradient(z, z, b.Fill(1+o.By, z.Shape...))
}

// failures counts the errors that a check reports.
type failures struct {
	testing.TB
	said []string
}

func (*failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func network(t *testing.T, layers ...layer.Layer) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(3), Layers: layers})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net
}

func minibatch() *data.MultiDataSet {
	return &data.MultiDataSet{
		Features: []*tensor.Dense{{Shape: tensor.Shape{2, 3}, Data: []float32{0.5, -1, 0.25, 2, 0.75, -0.5}}},
		Labels:   []*tensor.Dense{{Shape: tensor.Shape{2, 2}, Data: []float32{1, 0, 0, 1}}},
	}
}

// TestCheck: a correct gradient passes, one that is off by 1e-5 fails, and the network does not change.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		by   float64
		want bool
	}{{0, true}, {1e-5, false}} {
		net := network(t, layer.Dense{NOut: 4, Activation: off{c.by}},
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()})
		before := slices.Clone(net.Params())
		f := &failures{TB: t}
		gradtest.Check(f, net, minibatch())
		if c.want != (len(f.said) == 0) || !c.want && !strings.Contains(f.said[0], "the gradient of element 0 of 0_W is ") {
			t.Errorf("off by %v: %q", c.by, f.said)
		}
		if !slices.Equal(before, net.Params()) || net.Iteration() != 0 {
			t.Error("the network has changed")
		}
		if _, err := net.Fit(minibatch(), nn.Key{}); err != nil {
			t.Errorf("the network can't be trained afterwards: %v", err)
		}
	}
}

// TestLeftOut: frozen parameters and statistics have no gradient to compare.
func TestLeftOut(t *testing.T) {
	gradtest.Check(t, network(t, layer.Frozen{Layer: layer.Dense{NOut: 3}},
		layer.Dense{NOut: 3, Activation: activation.TanH{}},
		layer.NewBatchNormalization(), layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}),
		minibatch())
}

// TestErrors: a network that can't be computed fails the test.
func TestErrors(t *testing.T) {
	net := network(t, layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}})
	m := minibatch()
	m.Labels = nil
	f := &failures{TB: t}
	if gradtest.Check(f, net, m); len(f.said) != 1 || !strings.Contains(f.said[0], "there are no labels to train by") {
		t.Errorf("%q", f.said)
	}
}

func ExampleCheck() {
	test := func(t testing.TB) {
		net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
			layer.ElementWise{}, // the layer to check
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		}})
		if err != nil {
			t.Fatal(err)
		}
		net.Init(1)
		gradtest.Check(t, net, &data.MultiDataSet{
			Features: []*tensor.Dense{{Shape: tensor.Shape{1, 3}, Data: []float32{0.5, -1, 2}}},
			Labels:   []*tensor.Dense{{Shape: tensor.Shape{1, 2}, Data: []float32{1, 0}}},
		})
	}
	var errors failures // a test passes its *testing.T
	test(&errors)
	fmt.Println(len(errors.said))
	// Output: 0
}
