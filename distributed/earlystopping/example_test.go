package earlystopping_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// Training ends when the accuracy on held-out digits has not improved for 3 epochs.
func Example() {
	ctx := context.Background()
	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	of := func(part string) *distributed.Data {
		s, err := source.Open(ctx, "digits:"+part)
		check(err)
		d, err := distributed.FromSource(e, s, 2)
		check(err)
		return d
	}
	configuration, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
	check(err)
	master, err := paramavg.New(paramavg.Default(), paramavg.Options{})
	check(err)
	defer master.Close()
	net, err := distributed.FromConfiguration(e, configuration, master, distributed.Options{})
	check(err)

	result, err := earlystopping.Fit(ctx, earlystopping.Config{
		Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 50},
			earlystopping.ScoreImprovement{Patience: 3}},
		Iteration:  []earlystopping.IterationCondition{earlystopping.InvalidScore{}},
		Calculator: earlystopping.Classification{Data: of("test"), Metric: earlystopping.Accuracy},
	}, net, of("train"))
	check(err)
	fmt.Println(result.Details, result.BestScore > 0.95, result.Best.Epoch() == result.BestEpoch+1)
	// Output: ScoreImprovement(patience 3, minImprovement 0) true true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
