package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/threshold"
)

// BenchmarkStepOnDevice trains on a device: a step of two workers, and the release of their sum.
func BenchmarkStepOnDevice(b *testing.B) {
	for name, width := range map[string]int{"37k": 500, "600k": 8000} {
		b.Run(name, func(b *testing.B) { stepsOnDevice(b, width) })
	}
}

func stepsOnDevice(b *testing.B, width int) {
	var t testing.T
	net, err := nn.New(nn.Configuration{Seed: 3, InputType: inputtype.FeedForward(64), Layers: []layer.Layer{
		layer.Dense{NOut: width}, layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		b.Fatal(err)
	}
	net.Init(3)
	defer net.Close()
	x := deviceExecutor(&t)
	if c, ok := x.(interface{ Close() }); ok {
		defer c.Close() // the processor time of its process then counts
	}
	c := config()
	c.ThresholdAlgorithm = threshold.Largest{Share: 0.1}
	l := newLockstep(&t, net, singles(digits(&t, "train").Range(0, 320)), 2, c, threshold.Options{})
	sum := &release{sum: threshold.NewSum(l.replicas[0].coder, net.NumParams()), writer: l.replicas[0].writer}
	for _, r := range l.replicas {
		r.conf.Summed = true
		r.net.SetExecutor(x)
		if err := r.toDevice(); err != nil {
			b.Fatal(err)
		}
	}
	var m threshold.Message
	step := func(o uint32) {
		for w, r := range l.replicas {
			out := r.step(coordination.Train{Epoch: o / 10, Partition: uint32(w), Ordinal: o % 10})
			if out.Err != nil {
				b.Fatal(out.Err)
			}
			if err := (&decoded{payload: slices.Clone(out.Payload)}).into(sum, net.NumParams()); err != nil {
				b.Fatal(err)
			}
		}
		payload, _ := sum.end(&m)
		for _, r := range l.replicas {
			if err := r.Apply(&coordination.Entry{Kind: coordination.SumEntry, Payload: payload}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for o := range uint32(10) { // compiles
		step(o)
	}
	there, back := traffic(x)
	b.ResetTimer()
	for i := range b.N {
		step(uint32(10 + i))
	}
	a, z := traffic(x)
	b.ReportMetric(float64(a-there)/float64(2*b.N), "B-there/step")
	b.ReportMetric(float64(z-back)/float64(2*b.N), "B-back/step")
}
