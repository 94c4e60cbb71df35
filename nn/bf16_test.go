package nn

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// TestTrainingInBF16: with products of bfloat16, networks learn as in float32, with the same bits for any number of
// threads. The output of a row does not depend on its batch.
func TestTrainingInBF16(t *testing.T) {
	for _, name := range kernel.BF16() {
		k, err := cpu.ParseKernels(name + "?precision=bf16")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { testBF16(t, k) })
	}
}

func testBF16(t *testing.T, k cpu.Kernels) {
	dense := Configuration{InputType: inputtype.FeedForward(20), Updater: updater.Adam{LearningRate: 0.01},
		Layers: []layer.Layer{layer.Dense{NOut: 33, Activation: activation.TanH{}},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
	steps := Configuration{InputType: inputtype.Recurrent(5, 7), Updater: updater.Adam{LearningRate: 0.01},
		Layers: []layer.Layer{layer.LSTM{NOut: 18},
			layer.RnnOutput{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}}
	for name, c := range map[string]struct {
		conf Configuration
		m    *data.MultiDataSet
	}{
		"dense": {dense, examples(30, 20, 3)},
		"steps": {steps, &data.MultiDataSet{Features: []*tensor.Dense{normals(1, 30, 5, 7)},
			Labels: []*tensor.Dense{normals(2, 30, 2, 7)}}},
	} {
		t.Run(name, func(t *testing.T) {
			var nets []*MultiLayer
			var scores []float64
			for _, o := range []cpu.Options{{Threads: 2}, {Threads: 1, Kernels: k}, {Threads: 3, Kernels: k}} {
				e := cpu.New(o)
				defer e.Close()
				net := newNet(t, c.conf)
				net.SetExecutor(e)
				score, err := 0.0, error(nil)
				for range 60 {
					if score, err = net.Fit(c.m, Key{}); err != nil {
						t.Fatal(err)
					}
				}
				nets, scores = append(nets, net), append(scores, score)
			}
			if !near.Equal(scores[1], scores[0], 0, 0.02) || scores[1] == scores[0] {
				t.Errorf("the score is %v, in float32 %v", scores[1], scores[0])
			}
			if !equalBits(nets[1].Params(), nets[2].Params()) {
				t.Error("one thread and three give other parameters")
			}
			all, err := nets[1].Output(c.m, false)
			if err != nil {
				t.Fatal(err)
			}
			first := &data.MultiDataSet{Features: []*tensor.Dense{c.m.Features[0].Slice(0, 1)}}
			one, err := nets[1].Output(first, false)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(one[0].Data); !equalBits(one[0].Data, all[0].Data[:n]) {
				t.Error("a row alone has other outputs than in its batch")
			}
		})
	}
}
