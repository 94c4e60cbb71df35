package nn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

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

func ExampleLoad() {
	net, err := nn.New(nn.Configuration{
		Updater: updater.NewSgd(),
		Layers: []layer.Layer{
			layer.Dense{NIn: 4, NOut: 8, Activation: activation.TanH{}},
			layer.Output{NIn: 8, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	net.Init(1)
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.zip")
	if err := net.Save(context.Background(), path, nn.SaveOptions{}); err != nil {
		log.Fatal(err)
	}
	loaded, err := nn.Load(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.NumParams(), slices.Equal(net.Params(), loaded.Params()))
	// Output: 67 true
}
