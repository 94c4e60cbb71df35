package dl4go_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
)

// Two workers train by parameter averaging. Each epoch reports its figures.
func ExampleOn() {
	ctx := context.Background()
	e, err := dl4go.Open(ctx, "local[2]") // with processes[2] or sc://HOST:PORT, main begins with dl4go.Main()
	check(err)
	defer e.Close()
	digits, err := dl4go.Read(ctx, "digits:train")
	check(err)
	heldOut, err := dl4go.Read(ctx, "digits:test")
	check(err)
	tell := func(event dl4go.Event) {
		if epoch, ok := event.(dl4go.EpochEnded); ok {
			fmt.Printf("epoch %d of %d: better than by chance: %v\n", epoch.Epoch+1, epoch.Of, *epoch.Accuracy > 0.3)
		}
	}
	model, err := dl4go.On(ctx, e, dl4go.Averaging{}, dl4go.Config{
		Network: dl4go.MLP(64), Data: digits, HeldOut: heldOut, Epochs: 3, Batch: 8, Listen: tell})
	check(err)
	defer model.Close()
	// Output:
	// epoch 1 of 3: better than by chance: true
	// epoch 2 of 3: better than by chance: true
	// epoch 3 of 3: better than by chance: true
}

// A pipeline makes examples of a table of texts, numbers and gaps. The model keeps it.
func ExamplePrepare() {
	ctx := context.Background()
	prepared, err := dl4go.Prepare(ctx, "csv:"+penguins+"?label=species", dl4go.Columns{Split: "0.8:stratified"})
	check(err)
	defer prepared.Close()
	model, err := dl4go.Train(ctx, dl4go.Config{Prepared: prepared, Patience: 5, Metric: "accuracy"})
	check(err)
	defer model.Close()

	answers, err := model.PredictRows(ctx, map[string]any{"island": "Biscoe", "bill_length_mm": 50.2,
		"bill_depth_mm": 14.3, "flipper_length_mm": 218, "body_mass_g": 5700, "sex": nil, "year": 2007})
	check(err)
	fmt.Println(answers[0].Class.Name)
	// Output: Gentoo
}

// A restarted program continues where it was interrupted, because Resume is set. Here the first run ends after two
// epochs, and the second one trains two more.
func ExampleTrain_resume() {
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	data, err := machines.Data(readings(600))
	check(err)
	for _, epochs := range []int{2, 4} {
		model, err := dl4go.Train(context.Background(), dl4go.Config{Data: data, Epochs: epochs,
			Normalizer: dl4go.Standardize, Checkpoint: filepath.Join(dir, "run"), Resume: true})
		check(err)
		fmt.Println("trained epochs:", model.Network().Epoch())
		check(model.Close())
	}
	// Output:
	// trained epochs: 2
	// trained epochs: 4
}

// House is a value with a price to predict.
type House struct{ Area, Rooms, Price float64 }

// Target makes examples of numbers. Standardize also scales them, and predictions are in their own unit.
func ExampleTable_regression() {
	ctx := context.Background()
	houses := dl4go.Table[House]{
		Features: func(h House) []float64 { return []float64{h.Area, h.Rooms} },
		Target:   func(h House) []float64 { return []float64{h.Price} },
	}
	var known []House
	for i := range 400 {
		area, rooms := 50+float64(i%40)*5, 1+float64(i%7)
		known = append(known, House{area, rooms, 2000*area + 10000*rooms})
	}
	data, err := houses.Data(known)
	check(err)
	model, err := dl4go.Train(ctx, dl4go.Config{Network: dl4go.MLP(16), Data: data, Normalizer: dl4go.Standardize,
		Epochs: 100})
	check(err)
	defer model.Close()
	price, err := model.Predict(ctx, houses.Features(House{Area: 100, Rooms: 3}))
	check(err)
	fmt.Println("about 230000:", math.Abs(price[0]-230000) < 20000)
	// Output: about 230000: true
}

// Layers takes any configuration of package nn.
func ExampleLayers() {
	ctx := context.Background()
	digits, err := dl4go.Read(ctx, "digits:train")
	check(err)
	network := dl4go.Layers(nn.Configuration{
		Updater:    updater.Adam{LearningRate: 0.003},
		Activation: activation.ReLU{},
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 16, Kernel: [2]int{3, 3}},
			layer.Subsampling{Kernel: [2]int{2, 2}},
			layer.Dense{NOut: 64},
			layer.Output{}, // 10 classes, softmax and cross entropy: it fits the data
		},
	})
	model, err := dl4go.Train(ctx, dl4go.Config{Network: network, Data: digits, Epochs: 1})
	check(err)
	defer model.Close()
	fmt.Println(model.Network().NumParams(), "parameters")
	// Output: 10090 parameters
}
