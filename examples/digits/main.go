// Command digits trains a small convolutional network on handwritten digits, with two workers and parameter averaging.
// It prints the accuracy on images that were held out.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/local"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func main() {
	engine.Main() // first: the same binary is a worker where an engine starts it as one
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()

	settings := paramavg.Default()
	settings.BatchSizePerWorker = 16
	settings.AveragingFrequency = 3
	settings.RDDTrainingApproach = paramavg.Direct
	master, err := paramavg.New(settings, paramavg.Options{})
	if err != nil {
		return err
	}
	defer master.Close()

	net, err := distributed.FromConfiguration(e, nn.Configuration{
		Seed:       1,
		Updater:    updater.NewAdam(),
		Activation: activation.ReLU{},
		InputType:  inputtype.ConvolutionalFlat(8, 8, 1),
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 16, Kernel: [2]int{3, 3}},
			layer.Subsampling{Kernel: [2]int{2, 2}},
			layer.Dense{NOut: 64},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	}, master, distributed.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, net.Net().Summary())

	train, err := open(e, "digits:train")
	if err != nil {
		return err
	}
	test, err := open(e, "digits:test")
	if err != nil {
		return err
	}
	for epoch := range 20 {
		if err := net.Fit(ctx, train); err != nil {
			return err
		}
		result, err := net.Evaluate(ctx, test, nil, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "epoch %d: score %.4f, accuracy %.4f\n", epoch+1, net.LastScore(), result.Accuracy())
	}
	return nil
}

func open(e engine.Engine, name string) (*distributed.Data, error) {
	s, err := source.Open(name)
	if err != nil {
		return nil, err
	}
	return distributed.FromSource(e, s, 0)
}
