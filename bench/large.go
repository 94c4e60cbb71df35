package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// large times splits of a network with 25 million parameters and as much updater state. For comparison, it moves the
// same bytes by queries that do nothing else. The cluster's server and executors need heaps of 3 GB.
func large(master string, splits int) error {
	const features, classes, perWorker = 50_000, 10, 2
	ctx := context.Background()
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	conf, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.FeedForward(features), Classes: classes}, 1)
	if err != nil {
		return err
	}
	net, err := nn.New(conf)
	if err != nil {
		return err
	}
	net.Init(1)
	var sets []*data.MultiDataSet
	for i := range splits * e.Slots() * perWorker {
		x, y := tensor.New(1, features), tensor.New(1, classes)
		for k := range x.Data {
			x.Data[k] = float32((i+k)%7) / 7
		}
		y.Data[i%classes] = 1
		sets = append(sets, (&data.DataSet{Features: x, Labels: y}).Multi())
	}
	d, err := distributed.FromDataSets(e, sets, 0)
	if err != nil {
		return err
	}
	settings := paramavg.Default()
	settings.BatchSizePerWorker, settings.AveragingFrequency = perWorker, 1
	settings.RDDTrainingApproach, settings.CollectTrainingStats = paramavg.Direct, true
	tm, err := paramavg.New(settings, paramavg.Options{Rounds: paramavg.Jobs})
	if err != nil {
		return err
	}
	defer tm.Close()
	var seconds []float64
	if err := tm.Fit(ctx, net, d, func(r distributed.Round) {
		seconds = append(seconds, r.Duration.Seconds())
		fmt.Printf("split %d: %.2f s\n", len(seconds), r.Duration.Seconds())
	}); err != nil {
		return err
	}
	r, err := rawBytes(ctx, master)
	if err != nil {
		return err
	}
	defer r.session.Close(ctx)
	size := 4 * (net.NumParams() + net.NumStates())
	begin := time.Now()
	through, plain, err := r.time(ctx, size, e.Slots(), splits)
	if err != nil {
		return err
	}
	fmt.Printf("%d parameters and %d of updater state: splits of %.2f s (median of %d); %d bytes as an artifact, and from each of %d workers: "+
		"by TRANSFORM %.2f s, ratio %.2f; as rows of Spark's own %.2f s, ratio %.2f (%.0f s)\n", net.NumParams(), net.NumStates(), median(seconds),
		len(seconds), size, e.Slots(), through, median(seconds)/through, plain, median(seconds)/plain, time.Since(begin).Seconds())
	return nil
}
