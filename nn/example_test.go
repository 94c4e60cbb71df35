package nn_test

import (
	"fmt"
	"log"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func Example() {
	net, err := nn.New(nn.Configuration{
		Updater:   updater.NewAdam(),
		InputType: inputtype.ConvolutionalFlat(8, 8, 1),
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 16, Kernel: [2]int{3, 3}, Activation: activation.ReLU{}},
			layer.Subsampling{Kernel: [2]int{2, 2}},
			layer.Dense{NOut: 64, Activation: activation.ReLU{}},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	net.Init(42)
	digits, err := source.Digits("train")
	if err != nil {
		log.Fatal(err)
	}
	train := digits.Range(0, 1280)
	before, err := net.Score(train, false)
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		if err := net.FitEpoch(train.Batches(32), 42); err != nil {
			log.Fatal(err)
		}
	}
	after, err := net.Score(train, false)
	if err != nil {
		log.Fatal(err)
	}
	out, err := net.Output(&data.MultiDataSet{Features: train.Slice(0, 5).Features}, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(net.NumParams(), net.Iteration(), after < before/3, out[0].Shape)
	// Output: 10090 400 true [5, 10]
}
