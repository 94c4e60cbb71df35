package nn_test

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// minibatch returns random images of 28x28.
func minibatch(rows int) *data.MultiDataSet {
	f, l := tensor.New(rows, 784), tensor.New(rows, 10)
	s := random.NewSource(1)
	for i := range f.Data {
		f.Data[i] = float32(s.Float64())
	}
	for i := range rows {
		l.Data[10*i+i%10] = 1
	}
	return (&data.DataSet{Features: f, Labels: l}).Multi()
}

func peer(b testing.TB, name string) *nn.MultiLayer {
	conf, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(28, 28, 1), Classes: 10}, 1)
	if err != nil {
		b.Fatal(err)
	}
	net, err := nn.New(conf)
	if err != nil {
		b.Fatal(err)
	}
	net.Init(1)
	net.SetThreads(2)
	return net
}

// BenchmarkFit is a training step on 64 images.
func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"mlp", "lenet"} {
		b.Run(name, func(b *testing.B) {
			net, m := peer(b, name), minibatch(64)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := net.Fit(m, nn.Key{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFitBF16 is the same step with products of bfloat16, where the processor has them.
func BenchmarkFitBF16(b *testing.B) {
	k, err := cpu.Kernels{}.WithBF16()
	if err != nil {
		b.Fatal(err)
	}
	executor := cpu.New(cpu.Options{Threads: 2, Kernels: k})
	defer executor.Close()
	for _, name := range []string{"mlp", "lenet"} {
		b.Run(name, func(b *testing.B) {
			net, m := peer(b, name), minibatch(64)
			net.SetExecutor(executor)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := net.Fit(m, nn.Key{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFitLSTM is a step on 64 texts of 50 letters.
func BenchmarkFitLSTM(b *testing.B) {
	const letters, steps = 77, 50
	net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(letters, steps), Activation: activation.TanH{},
		Updater: updater.NewAdam(),
		Layers:  []layer.Layer{layer.NewLSTM(200), layer.RnnOutput{NOut: letters, Loss: loss.NewMCXENT()}}})
	if err != nil {
		b.Fatal(err)
	}
	net.Init(1)
	net.SetThreads(1)
	x, y := tensor.New(64, letters, steps), tensor.New(64, letters, steps)
	for i := range 64 * steps {
		row, t := i/steps, i%steps
		x.Data[(row*letters+i*7%letters)*steps+t] = 1
		y.Data[(row*letters+(i+1)*7%letters)*steps+t] = 1
	}
	m := (&data.DataSet{Features: x, Labels: y}).Multi()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := net.Fit(m, nn.Key{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFitAttention is a step of self-attention of 4 heads on 8 sequences of 512 steps.
func BenchmarkFitAttention(b *testing.B) {
	net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(64, 512), Updater: updater.NewAdam(),
		Layers: []layer.Layer{layer.SelfAttention{NOut: 64, NHeads: 4, ProjectInput: true},
			layer.GlobalPooling{Pooling: layer.AvgPooling},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		b.Fatal(err)
	}
	net.Init(1)
	net.SetThreads(2)
	m := minibatch(8)
	m.Features[0] = tensor.New(8, 64, 512)
	s := random.NewSource(2)
	for i := range m.Features[0].Data {
		m.Features[0].Data[i] = float32(s.Float64())
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := net.Fit(m, nn.Key{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOutput is inference on 64 images.
func BenchmarkOutput(b *testing.B) {
	for _, name := range []string{"mlp", "lenet"} {
		b.Run(name, func(b *testing.B) {
			net, m := peer(b, name), &data.MultiDataSet{Features: minibatch(64).Features}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := net.Output(m, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestStepsDoNotAllocate bounds the allocations of a step in steady state: only the updaters' few numbers.
func TestStepsDoNotAllocate(t *testing.T) {
	net, m := peer(t, "mlp"), minibatch(8)
	fit := func() {
		if _, err := net.Fit(m, nn.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	fit()
	if n := allocs.PerRun(20, fit); n > 4 {
		t.Errorf("a step makes %v allocations", n)
	}
}
