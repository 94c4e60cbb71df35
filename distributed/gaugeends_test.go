package distributed

import (
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/stats"
)

// TestGaugeEnds: a task reports its attempts at its end, even if a step has recorded the resources a moment ago.
func TestGaugeEnds(t *testing.T) {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{layer.Output{NIn: 2, NOut: 1, Loss: loss.MSE{}}}})
	if err != nil {
		t.Fatal(err)
	}
	to := stats.New("partition 0")
	g := NewGauge(to)
	g.measured, g.used = true, true
	g.Ended(net.Base(), 2)
	for _, m := range to.Measurements() {
		if m.Name == "restarts/partition 0" && m.Value == 1 {
			return
		}
	}
	t.Error("no attempts are reported")
}
