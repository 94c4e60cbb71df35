package nn

import (
	"errors"
	"math"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestNotFinite: updater state or an update that is not finite is a DivergedError that names layer and parameter.
func TestNotFinite(t *testing.T) {
	net, err := New(Configuration{Updater: updater.NewAdam(), Layers: []layer.Layer{
		layer.Dense{Base: layer.Base{Name: "first"}, NIn: 3, NOut: 4},
		layer.Dense{Base: layer.Base{Name: "second", Updater: updater.NewNesterovs()}, NIn: 4, NOut: 2},
		layer.Output{NIn: 2, NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	if err := net.CheckState(); err != nil {
		t.Fatal(err)
	}
	sizes := []struct {
		layer, param string
		size, copies int
	}{{"layer 0 (first)", "W", 12, 2}, {"layer 0 (first)", "b", 4, 2}, {"layer 1 (second)", "W", 8, 1},
		{"layer 1 (second)", "b", 2, 1},
		{"layer 2 (layer2)", "W", 4, 2}, {"layer 2 (layer2)", "b", 2, 2}}
	at := 0
	for _, s := range sizes {
		want := &DivergedError{Layer: s.layer, What: "the update of its parameter " + s.param + " comes to +Inf"}
		for _, i := range []int{at, at + s.size - 1} {
			var got *DivergedError
			if err := net.Overflowed(i, float32(math.Inf(1))); !errors.As(err, &got) || got.Layer != want.Layer ||
				got.What != want.What {
				t.Errorf("update %d: %v, want %v", i, err, want)
			}
		}
		at += s.size
	}
	if err := net.Overflowed(at, 1); err == nil {
		t.Error("a parameter that the network does not have was taken")
	}
	// The state is in blocks of equal updaters: 16 parameters twice, 10 once, 6 twice.
	for i, want := range map[int]int{0: 0, 11: 0, 12: 1, 16 + 11: 0, 31: 1, 32: 2, 40: 3, 42: 4, 46: 5, 48: 4, 53: 5} {
		net.UpdaterState()[i] = float32(math.NaN())
		var got *DivergedError
		if err := net.CheckState(); !errors.As(err, &got) || got.Layer != sizes[want].layer ||
			got.What != "the updater state of its parameter "+sizes[want].param+" holds NaN" {
			t.Errorf("state %d: %v, want %s of %s", i, err, sizes[want].param, sizes[want].layer)
		}
		net.UpdaterState()[i] = 0
	}
}
