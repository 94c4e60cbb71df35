package nn

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/tensor"
)

// TestPassesDrawAnew: each pass in training's form draws its own dropout masks, and repeating the passes draws the
// same masks again. Inference draws nothing. Steps depend on their minibatch only, not on earlier passes.
func TestPassesDrawAnew(t *testing.T) {
	type pass struct {
		outputs, activations []*tensor.Dense
		score                float64
	}
	run := func() (passes []pass, params []float32) {
		net := newNet(t, Configuration{InputType: inputtype.FeedForward(20), Layers: []layer.Layer{
			layer.Dense{Base: layer.Base{Dropout: regularization.NewDropout(0.5)}, NOut: 10, Activation: activation.TanH{}},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		}})
		m := minibatch(4, 1, inputtype.FeedForward(20))
		still := must(net.Output(m, false))[0].Data
		for range 4 {
			passes = append(passes, pass{must(net.Output(m, true)), must(net.FeedForward(m, true)), must(net.Score(m, true))})
			if again := must(net.Output(m, false))[0].Data; !slices.Equal(again, still) {
				t.Error("inference gives other outputs after a pass in training's form")
			}
		}
		must(net.Fit(m, Key{Seed: 7}))
		return passes, net.Params()
	}
	first, params := run()
	again, same := run()
	for i, p := range first {
		q := again[i]
		if !slices.Equal(p.outputs[0].Data, q.outputs[0].Data) || p.score != q.score {
			t.Errorf("pass %d of a second run gives something else", i)
		}
		if o := first[(i+1)%len(first)]; slices.Equal(p.outputs[0].Data, o.outputs[0].Data) || p.score == o.score ||
			slices.Equal(p.outputs[0].Data, p.activations[1].Data) {
			t.Errorf("pass %d has the dropout of another", i)
		}
	}
	plain := newNet(t, Configuration{InputType: inputtype.FeedForward(20), Layers: []layer.Layer{
		layer.Dense{Base: layer.Base{Dropout: regularization.NewDropout(0.5)}, NOut: 10, Activation: activation.TanH{}},
		layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	must(plain.Fit(minibatch(4, 1, inputtype.FeedForward(20)), Key{Seed: 7}))
	if !equalBits(params, same) || !equalBits(params, plain.Params()) {
		t.Error("a step depends on the passes before it")
	}
}
