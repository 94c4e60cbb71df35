package serve_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// A predictor serves any number of goroutines.
func ExamplePredictor() {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{
		layer.Output{NIn: 2, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		log.Fatal(err)
	}
	net.Init(1)
	copy(net.Params(), []float32{1, 0, 0, 1, -1, -1, 0, 0, 0}) // W, column by column, and b
	predictor, err := serve.New(net, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer predictor.Close()
	x, err := tensor.Of([]float32{3, 0, 0, 3, -3, -3}, 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	out, err := predictor.Predict(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		fmt.Printf("%.2f\n", out[0].Slice(i, i+1).Data)
	}
	// Output:
	// [0.95 0.05 0.00]
	// [0.05 0.95 0.00]
	// [0.00 0.00 1.00]
}

// A model file answers about rows of its columns, by their names.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(2), Layers: []layer.Layer{
		layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		log.Fatal(err)
	}
	copy(net.Params(), []float32{1, 0, 0, 1, -1, -1, 0, 0, 0}) // W, column by column, and b
	names := &data.Schema{Features: []string{"speed", "petal width"}, Classes: []string{"a", "b", "c"}}
	if err := net.SetSchema(names); err != nil {
		log.Fatal(err)
	}
	ctx, path := context.Background(), filepath.Join(dir, "model.zip")
	if err := net.Save(ctx, path, nn.SaveOptions{}); err != nil {
		log.Fatal(err)
	}

	predictor, err := serve.Open(ctx, path, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer predictor.Close()
	x := tensor.MustOf([]float32{3, 0}, 1, 2)
	out, err := predictor.Predict(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.Largest(out[0].Data))
	answers, err := predictor.PredictRows(ctx, map[string]any{"speed": 0, "petal width": 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answers[0].Class.Name)
	type flower struct {
		Speed float64 `dl4go:"speed"`
		Width float32 `dl4go:"petal width"`
	}
	if answers, err = serve.PredictValues(ctx, predictor, flower{-3, -3}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.2f\n", answers[0].Class.Name, answers[0].Values["c"])
	// Output:
	// 0
	// b
	// c 1.00
}

// Sequences of different lengths are padded, and a mask marks the steps that exist.
func ExamplePredictor_PredictData() {
	net, err := nn.New(nn.Configuration{
		InputType: inputtype.Recurrent(2, 0),
		Layers: []layer.Layer{
			layer.NewLSTM(4),
			layer.RnnOutput{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := serve.New(net, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer predictor.Close()

	// Two sequences, of 3 steps and of 1 step, padded with zeros.
	features := tensor.MustOf([]float32{1, 2, 3, 4, 5, 6 /* */, 7, 0, 0, 8, 0, 0}, 2, 2, 3)
	mask := tensor.MustOf([]float32{1, 1, 1 /* */, 1, 0, 0}, 2, 3)
	out, err := predictor.PredictData(context.Background(), &data.MultiDataSet{
		Features:     []*tensor.Dense{features},
		FeatureMasks: []*tensor.Dense{mask},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Shape)
	// Output: [2, 3, 3]
}
