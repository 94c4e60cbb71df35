package serve

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
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

// BenchmarkBatches compares rows by the second: minibatches of 64 directly, and single rows of 256 goroutines that the
// predictor joins.
func BenchmarkBatches(b *testing.B) {
	net := mnist(b)
	direct := func(b *testing.B) {
		p := predictor(b, net, Options{MaxBatch: 64})
		x := numbers(64, 784)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := p.Predict(b.Context(), x); err != nil {
					b.Error(err)
					return
				}
			}
		})
		b.ReportMetric(float64(64*b.N)/b.Elapsed().Seconds(), "rows/s")
	}
	joined := func(b *testing.B) {
		var batches atomic.Int64
		p := predictor(b, net, Options{MaxBatch: 64, Observe: func(Batch) { batches.Add(1) }})
		rows := make(chan *tensor.Dense, 256)
		var wait sync.WaitGroup
		for range cap(rows) {
			wait.Go(func() {
				for x := range rows {
					if _, err := p.Predict(b.Context(), x); err != nil {
						b.Error(err)
					}
				}
			})
		}
		x := numbers(1, 784)
		b.ResetTimer()
		for range b.N {
			for range 64 {
				rows <- x
			}
		}
		close(rows)
		wait.Wait()
		b.ReportMetric(float64(64*b.N)/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(float64(64*b.N)/float64(batches.Load()), "rows/batch")
	}
	b.Run("direct", direct)
	b.Run("joined", joined)
}
