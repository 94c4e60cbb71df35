package train_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/train"
)

// A run keeps checkpoints in a directory. After a crash, or for more epochs as here, another run continues from the
// newest.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	digits, err := source.Open(ctx, "digits:train")
	check(err)
	test, err := source.Open(ctx, "digits:test")
	check(err)
	conf, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
	check(err)
	net, err := nn.New(conf)
	check(err)

	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	c := train.Config{
		Network: net, Data: digits, HeldOut: test, Engine: e, Method: train.Averaging{}, Epochs: 3, Seed: 1,
		Save:       filepath.Join(dir, "model.zip"),
		Checkpoint: train.Checkpoint{Dir: filepath.Join(dir, "run")},
	}
	result, err := train.Fit(ctx, c)
	check(err)
	fmt.Println(result.Epochs, *result.Accuracy > 0.9)

	c.From, err = train.Resume(ctx, c.Checkpoint.Dir, train.Claim{})
	check(err)
	c.Network, c.Epochs = c.From.Network, 5
	c.Listen = func(e train.Event) {
		if e, ok := e.(train.EpochEnded); ok {
			fmt.Println("epoch", e.Epoch+1, "of", e.Of)
		}
	}
	result, err = train.Fit(ctx, c)
	check(err)
	fmt.Println(result.Epochs, *result.Accuracy > 0.95)
	// Output:
	// 3 true
	// epoch 4 of 5
	// epoch 5 of 5
	// 5 true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
