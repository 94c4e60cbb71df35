package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestNewDrawsTheParameters: new networks draw their parameters from their configuration's seed, and copies have the
// parameters of the original.
func TestNewDrawsTheParameters(t *testing.T) {
	drawn := func(of AnyNetwork, seed uint64) []float32 {
		net := of.Base()
		net.Init(seed)
		return net.Params()
	}
	conf := mixed()
	conf.Seed = 7
	made := func() *MultiLayer {
		net, err := New(conf)
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	if got := made(); !slices.Equal(got.Params(), drawn(made(), 7)) || slices.Equal(got.Params(), drawn(made(), 8)) {
		t.Error("a network does not begin with the parameters of its configuration's seed")
	}
	net := made()
	net.Init(8)
	if !slices.Equal(net.Clone().Params(), drawn(made(), 8)) {
		t.Error("a copy has other parameters")
	}
	graph := func() *Graph {
		g, err := NewGraph(GraphConfiguration{Defaults: Configuration{Seed: 7}, Inputs: []string{"x"}, Outputs: []string{"y"},
			InputTypes: made().InputTypes(), Vertices: chain(conf)})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if got := graph(); !slices.Equal(got.Params(), drawn(graph(), 7)) || slices.Equal(got.Params(), drawn(graph(), 8)) {
		t.Error("a graph does not begin with the parameters of its configuration's seed")
	}
}

// chain returns the vertices of a graph with the layers in a row, from x to y.
func chain(c Configuration) []GraphVertex {
	var vs []GraphVertex
	from := "x"
	for i, l := range c.Layers {
		name := string(rune('a' + i))
		if i == len(c.Layers)-1 {
			name = "y"
		}
		vs = append(vs, GraphVertex{Name: name, Layer: l, Inputs: []string{from}})
		from = name
	}
	return vs
}

// TestReplicaWithoutParameters: a replica trains from the parameters given to it, never from its initial zeros.
func TestReplicaWithoutParameters(t *testing.T) {
	d := layer.NewAutoEncoder(3)
	text, err := newNet(t, Configuration{InputType: inputtype.FeedForward(4),
		Layers: []layer.Layer{d, layer.Output{NOut: 2, Loss: loss.MSE{}}}}).Configuration()
	if err != nil {
		t.Fatal(err)
	}
	made := func() *Network {
		net, err := Replica(text)
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	m := examples(5, 4, 2)
	fit := func(net *Network) error {
		_, err := net.Fit(m, Key{})
		return err
	}
	for what, train := range map[string]func(*Network) error{
		"Fit":         fit,
		"a copy":      func(net *Network) error { return fit(net.Copy()) },
		"Pretraining": func(net *Network) error { _, err := net.Pretraining("0", 1); return err },
		"Updates": func(net *Network) error {
			_, err := net.Updates(m, Key{}, func([]float32) error { return nil })
			return err
		},
	} {
		if err := train(made()); err == nil || !strings.Contains(err.Error(), "call Init, SetParams or Adopt") {
			t.Errorf("%s: %v", what, err)
		}
	}
	zeros := func(net *Network) []float32 { return make([]float32, net.NumParams()) }
	for what, give := range map[string]func(*Network) error{
		"Init":      func(net *Network) error { net.Init(1); return nil },
		"SetParams": func(net *Network) error { return net.SetParams(zeros(net)) }, // intended zeros
		"Adopt":     func(net *Network) error { return net.Adopt(zeros(net), nil) },
		"Params":    func(net *Network) error { net.Params()[1] = 1; return nil },
	} {
		net := made()
		if err := give(net); err != nil {
			t.Fatal(err)
		}
		if err := fit(net); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
	}
}
