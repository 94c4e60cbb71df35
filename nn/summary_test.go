package nn

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestSummaryOfFrozenLayers: parameters that training does not move are counted as frozen, also within wrappers.
func TestSummaryOfFrozenLayers(t *testing.T) {
	net := newNet(t, Configuration{
		InputType: inputtype.Recurrent(3, 5),
		Layers: []layer.Layer{
			layer.Frozen{Layer: layer.SimpleRnn{NOut: 4}},                            // 3·4 + 4·4 + 4 = 32
			layer.FrozenWithBackprop{Layer: layer.SimpleRnn{NOut: 2}},                // 4·2 + 2·2 + 2 = 14
			layer.LastTimeStep{Layer: layer.Frozen{Layer: layer.SimpleRnn{NOut: 3}}}, // 2·3 + 3·3 + 3 = 18
			layer.Frozen{Layer: layer.NewBatchNormalization()},                       // 12
			layer.Dense{NOut: 5},                    // 20
			layer.Output{NOut: 2, Loss: loss.MSE{}}, // 12
		},
	})
	for _, want := range []string{"Total Parameters:  108\n", "Trainable Parameters:  32\n", "Frozen Parameters:  76\n"} {
		if got := net.Summary(); !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q:%s", want, got)
		}
	}
}
