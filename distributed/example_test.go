package distributed_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// The lines of README.md's example are here, in their order: package lint compares.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.zip")

	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	digits, err := source.Open("digits:train")
	check(err)
	data, err := distributed.FromSource(e, digits, 0)
	check(err)

	settings := paramavg.Default()
	settings.RDDTrainingApproach = paramavg.Direct // from memory, not from exported files
	master, err := paramavg.New(settings, paramavg.Options{})
	check(err)
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
	check(err)

	for range 3 {
		err = net.Fit(ctx, data) // one epoch
		check(err)
	}
	result, err := net.Evaluate(ctx, data, nil, 1)
	check(err)
	err = net.Net().Save(path, nn.SaveOptions{}) // Deeplearning4j opens it
	check(err)

	loaded, err := nn.Load(path)
	check(err)
	fmt.Println(result.Accuracy() > 0.8, loaded.Epoch(), loaded.NumParams() == net.Net().NumParams())
	// Output: true 3 true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
