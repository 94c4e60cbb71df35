package distributed_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// Train your own network on the workers of an engine, and save it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.zip")

	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	digits, err := source.Open(ctx, "digits:train")
	check(err)
	data, err := distributed.FromSource(e, digits, 0)
	check(err)

	settings := paramavg.Default()
	settings.RDDTrainingApproach = paramavg.Direct // from memory instead of exported files
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
		err = net.Fit(ctx, data) // trains one epoch
		check(err)
	}
	result, err := net.Evaluate(ctx, data, nil, 1)
	check(err)
	err = net.Net().Save(context.Background(), path, nn.SaveOptions{}) // Deeplearning4j can open it
	check(err)

	loaded, err := nn.Load(context.Background(), path)
	check(err)
	fmt.Println(result.Accuracy() > 0.8, loaded.Epoch(), loaded.NumParams() == net.Net().NumParams())
	// Output: true 3 true
}

// Get predictions by the keys of the examples.
func ExampleNetwork_Predict() {
	ctx := context.Background()
	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	network, err := nn.New(nn.Configuration{Layers: []layer.Layer{
		layer.Output{NIn: 2, NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	check(err)
	network.Init(1)
	copy(network.Params(), []float32{1, 10, 0.5}) // the weights and the bias
	net := distributed.New(e, network, nil, distributed.Options{})

	row := func(x ...float32) *data.MultiDataSet {
		return &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(x, 1, 2)}}
	}
	examples, err := distributed.FromKeyed(e, maps.All(map[string]*data.MultiDataSet{"a": row(1, 2), "b": row(3, 4)}), 0)
	check(err)
	predictions, err := net.Predict(ctx, examples, distributed.PredictOptions{})
	check(err)
	defer predictions.Release()
	byKey, err := predictions.ByKey(ctx)
	check(err)
	fmt.Println(byKey["a"][0].Data, byKey["b"][0].Data)
	// Output: [21.5] [43.5]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Directories of saved DataSets and files that a loader reads are data like any other. Here workers read a LIBSVM file
// and do three evaluations in one pass, with at most two replicas of the network at a time.
func ExampleNetwork_DoEvaluation() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.txt")
	check(os.WriteFile(path, []byte("-1 1:0.5\n+1 2:1\n-1 1:1\n+1 1:0.1 2:2\n"), 0o600))

	e, err := engine.Open(ctx, "local[4]", engine.Options{})
	check(err)
	defer e.Close()
	points := distributed.FromPaths(e, []string{path},
		distributed.LibSVM(source.LibSVM{Features: 2, Labels: []float64{-1, 1}}), 0)
	net, err := distributed.FromConfiguration(e, nn.Configuration{
		Updater:   updater.NewAdam(),
		InputType: inputtype.FeedForward(2),
		Layers:    []layer.Layer{layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}},
	}, nil, distributed.Options{})
	check(err)
	copy(net.Net().Params(), []float32{1, -1, -1, 1, 0, 0})

	named := eval.NewEvaluation(2)
	named.Labels = []string{"down", "up"}
	results, err := net.DoEvaluation(ctx, points, distributed.EvaluationOptions{Workers: 2, Batch: 100},
		named, eval.NewROC(0), eval.NewRegressionEvaluation())
	check(err)
	fmt.Println(results[0].(*eval.Evaluation).Accuracy(), results[1].(*eval.ROC).AUC())
	// Output: 1 1
}
