package train

import (
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// TestDefaultMinibatch: gradient sharing by default divides minibatches of Adam among many workers, and a size that was
// given stays.
func TestDefaultMinibatch(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[8]", engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	digits, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	conf, err := nn.BuiltIn("lenet", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
	if err != nil {
		t.Fatal(err)
	}
	lenet, err := nn.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	defer lenet.Close()
	few, saved := sharing.Default(), sharing.Default()
	few.NumWorkers, few.BatchSizePerWorker, few.RDDDataSetNumExamples = 4, 0, 0
	for _, c := range []struct {
		network     nn.AnyNetwork
		method      Method
		given, want int
	}{
		{lenet, Sharing{}, 0, 4}, {lenet, Sharing{Config: &few}, 0, 8}, {lenet, Sharing{}, 16, 16},
		{lenet, Sharing{Config: &saved}, 0, 0}, {lenet, Averaging{}, 0, 16}, {softmax(t), Sharing{}, 0, 4},
	} {
		all := Config{Network: c.network, Data: digits, Method: c.method, Engine: e, Batch: c.given}.withDefaults()
		if all.Batch != c.want {
			t.Errorf("%+v: minibatches of %d", c, all.Batch)
		}
	}
}
