package serve

import (
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// mnist is the perceptron 784-500-10.
func mnist(b *testing.B) *nn.MultiLayer {
	return network(b, nn.Configuration{InputType: inputtype.FeedForward(784), Layers: []layer.Layer{
		layer.Dense{NOut: 500, Activation: activation.ReLU{}},
		layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

// BenchmarkRow predicts one row at a time, and reports the median.
func BenchmarkRow(b *testing.B) {
	p := predictor(b, mnist(b), Options{})
	x := numbers(1, 784)
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := p.Predict(b.Context(), x); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "µs-p50")
}
