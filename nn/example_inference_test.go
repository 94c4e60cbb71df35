package nn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The code of docs/inference.md: evaluations are fed minibatch by minibatch, in one pass.
func ExampleMultiLayer_EachOutput() {
	net, err := nn.New(nn.Configuration{
		Updater:   updater.NewAdam(),
		InputType: inputtype.ConvolutionalFlat(8, 8, 1),
		Layers: []layer.Layer{
			layer.Dense{NOut: 32, Activation: activation.ReLU{}},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	check(err)
	train, err := source.Digits("train")
	check(err)
	for range 5 {
		check(net.FitEpoch(train.Range(0, 1280).Batches(16), 1))
	}

	digits, err := source.Open(context.Background(), "digits:test")
	check(err)
	classes := eval.NewEvaluation(10)
	roc := eval.NewROCMultiClass(0)
	err = net.EachOutput(source.Batches(digits, 256), func(m *data.MultiDataSet, outputs []*tensor.Dense) error {
		if err := classes.Eval(m.Labels[0], outputs[0], m.LabelMask(0)); err != nil {
			return err
		}
		return roc.Eval(m.Labels[0], outputs[0], m.LabelMask(0))
	})
	check(err)
	fmt.Println(classes.Accuracy() > 0.9, roc.AUC(0) > 0.9)
	// Output: true true
}

func recurrent() *nn.MultiLayer {
	net, err := nn.New(nn.Configuration{
		Seed:      1,
		InputType: inputtype.Recurrent(2, 0),
		Layers: []layer.Layer{
			layer.NewLSTM(4),
			layer.RnnOutput{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	check(err)
	return net
}

// Step by step, a recurrent network gives the outputs of the whole sequence.
func ExampleMultiLayer_RnnTimeStep() {
	net := recurrent()
	sequence := tensor.MustOf([]float32{1, 2, 3, 4, 5, 6}, 1, 2, 3) // one example, 2 features, 3 steps
	whole, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{sequence}}, false)
	check(err)

	net.RnnClearPreviousState()
	for _, step := range [][]float32{{1, 4}, {2, 5}, {3, 6}} {
		out, err := net.RnnTimeStep(tensor.MustOf(step, 1, 2)) // [batch, features]: one step
		check(err)
		fmt.Println(out[0].Shape, out[0].Data[0] > 0)
	}
	fmt.Println(whole[0].Shape)
	// Output:
	// [1, 3] true
	// [1, 3] true
	// [1, 3] true
	// [1, 3, 3]
}

// LoadNetwork opens models of either kind.
func ExampleLoadNetwork() {
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.zip")
	check(recurrent().Save(context.Background(), path, nn.SaveOptions{}))
	net, err := nn.LoadNetwork(context.Background(), path)
	check(err)
	fmt.Println(net.NumParams(), len(net.Notices()))
	// Output: 127 0
}
