package distributed_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// wideNet returns a network of 25 million parameters: 100 MB.
func wideNet(t testing.TB) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater.NewAdam(), Activation: activation.ReLU{},
		InputType: inputtype.FeedForward(784),
		Layers: []layer.Layer{layer.Dense{NOut: 5000}, layer.Dense{NOut: 4200},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	if net.NumParams() < 24_900_000 {
		t.Fatalf("the network has %d parameters", net.NumParams())
	}
	net.Params()[0] = 1 // avoids Init, which takes a second
	return net
}

func wideData(examples int) []*data.MultiDataSet {
	var sets []*data.MultiDataSet
	for i := range examples {
		m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 784)}, Labels: []*tensor.Dense{tensor.New(1, 10)}}
		for j := range m.Features[0].Data {
			m.Features[0].Data[j] = float32((i*31+j*17)%101) / 101
		}
		m.Labels[0].Data[i%10] = 1
		sets = append(sets, m)
	}
	return sets
}

// TestReplicasShareParameters checks that evaluation and the score don't copy the parameters, neither for the workers
// nor for the driver, however many replicas there are. Both together must take less memory with 8 replicas than the
// parameters do.
func TestReplicasShareParameters(t *testing.T) {
	ctx := context.Background()
	net := wideNet(t)
	sets := wideData(64)
	for _, workers := range []int{1, 8} {
		e := onEngine(t, "local[8]")
		d, err := distributed.FromDataSets(e, sets, 8)
		if err != nil {
			t.Fatal(err)
		}
		m := distributed.New(e, net, nil, distributed.Options{Batch: 4})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := m.DoEvaluation(ctx, d, distributed.EvaluationOptions{Workers: workers}, eval.NewEvaluation(0))
		if err != nil {
			t.Fatal(err)
		}
		if _, n, err := m.Score(ctx, d, true, false, 0); err != nil || n != 64 {
			t.Fatalf("%d examples were scored, error %v", n, err)
		}
		runtime.ReadMemStats(&after)
		taken, params := after.TotalAlloc-before.TotalAlloc, uint64(4*net.NumParams())
		t.Logf("%d workers: %d MB beside the parameters' %d MB", workers, taken>>20, params>>20)
		if taken > params {
			t.Errorf("%d workers took %d bytes, the parameters have %d", workers, taken, params)
		}
		if n := got[0].(*eval.Evaluation).Rows(); n != 64 {
			t.Errorf("%d examples were evaluated", n)
		}
	}
}
