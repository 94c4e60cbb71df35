package main

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// work is a computation that the peers do, too, under the same name.
type work struct {
	name  string
	calls int     // in one measurement
	flop  float64 // floating-point operations of a call; 0 if they are not counted
	setUp func() (func() error, error)
}

// batch is the size of the networks' minibatches.
const batch = 64

func works(threads int, on *device) []work {
	step := func(name string, calls int, make func() (trainee, *data.MultiDataSet, error)) work {
		return work{name, calls, 0, func() (func() error, error) {
			net, m, err := make()
			if err == nil {
				err = on.place(name, net)
			}
			return func() error {
				_, err := net.Fit(m, nn.Key{})
				return err
			}, err
		}}
	}
	image := func(model string) func() (trainee, *data.MultiDataSet, error) {
		return func() (trainee, *data.MultiDataSet, error) { return network(model, threads) }
	}
	output := func(model string) func() (func() error, error) {
		return func() (func() error, error) {
			net, m, err := network(model, threads)
			return func() error {
				_, err := net.Output(m, false)
				return err
			}, err
		}
	}
	return []work{
		{"pictures", 1, 0, func() (func() error, error) { return pictures("jpeg") }},
		{"pngs", 1, 0, func() (func() error, error) { return pictures("png") }},
		step("mlp-step", 200, image("mlp")),
		{"mlp-output", 400, 0, output("mlp")},
		step("lenet-step", 20, image("lenet")),
		{"lenet-output", 40, 0, output("lenet")},
		step("lstm-step", 10, func() (trainee, *data.MultiDataSet, error) { return charNetwork(threads) }),
		step("resnet-step", 2, func() (trainee, *data.MultiDataSet, error) { return residualNetwork(threads) }),
		step("mobilenet-step", 4, func() (trainee, *data.MultiDataSet, error) { return mobileNetwork(threads) }),
		step("attention-step", 4, func() (trainee, *data.MultiDataSet, error) { return attentionNetwork(threads) }),
		{"embedding-step", 100, 0, embeddingStep(updater.Sgd{LearningRate: 0.1}, threads)},
		{"embedding-adam-step", 3, 0, embeddingStep(updater.NewAdam(), threads)},
		{"embedding-lazyadam-step", 100, 0, embeddingStep(updater.LazyAdam{}, threads)},
		{"sgemm-1024", 10, 2 * 1024 * 1024 * 1024, product(threads, 1024, 1024, 1024, false)},
		{"product-64x500x784", 400, 2 * 64 * 500 * 784, product(threads, 64, 500, 784, true)},
	}
}

// network returns a built-in network for 28x28 images, and a minibatch for it.
func network(model string, threads int) (*nn.MultiLayer, *data.MultiDataSet, error) {
	net, err := imageNet(model, 1)
	if err != nil {
		return nil, nil, err
	}
	net.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
	x, y := uniform(batch, 784), tensor.New(batch, 10)
	for i := range batch {
		y.Data[i*10+i%10] = 1
	}
	return net, (&data.DataSet{Features: x, Labels: y}).Multi(), nil
}

// charNetwork returns an LSTM of 200 units that predicts the next of 77 characters, and a minibatch of 50 steps.
func charNetwork(threads int) (*nn.MultiLayer, *data.MultiDataSet, error) {
	const chars, steps = 77, 50
	net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(chars, steps), Activation: activation.TanH{}, Updater: updater.NewAdam(),
		Layers: []layer.Layer{layer.NewLSTM(200), layer.RnnOutput{NOut: chars, Loss: loss.NewMCXENT()}}})
	if err != nil {
		return nil, nil, err
	}
	net.Init(1)
	net.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
	x, y := tensor.New(batch, chars, steps), tensor.New(batch, chars, steps)
	for i := range batch * steps {
		row, t := i/steps, i%steps
		x.Data[(row*chars+i*7%chars)*steps+t] = 1
		y.Data[(row*chars+(i+1)*7%chars)*steps+t] = 1
	}
	return net, (&data.DataSet{Features: x, Labels: y}).Multi(), nil
}

func uniform(shape ...int) *tensor.Dense {
	x := tensor.New(shape...)
	for i := range x.Data {
		x.Data[i] = random.Uniform(1, uint64(i))
	}
	return x
}

// product returns the computation of C = A·B, or of A·Bᵀ.
func product(threads, m, n, k int, transB bool) func() (func() error, error) {
	return func() (func() error, error) {
		pool := parallel.New(threads)
		p := gemm.New(kernel.Best(), gemm.Shape{TransB: transB, M: m, N: n, K: k})
		a, b, c := uniform(m, k), uniform(k, n), tensor.New(m, n)
		ldb := n
		if transB {
			ldb = k
		}
		scratch := make([]float32, p.Workspace(threads))
		return func() error {
			p.Run(pool, 1, a.Data, k, b.Data, ldb, 0, c.Data, n, scratch)
			return nil
		}, nil
	}
}

// classes returns one-hot labels that cycle through ten classes.
func classes(rows int) *tensor.Dense {
	y := tensor.New(rows, 10)
	for i := range rows {
		y.Data[i*10+i%10] = 1
	}
	return y
}
