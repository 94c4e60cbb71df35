package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// digitsEpochs and digitsBatch are dl4go train's defaults for the digits. digitsSpread is how many points the worst
// training may be below the median.
const digitsEpochs, digitsBatch, digitsSpread = 15, 16, 1.5

// digits trains LeNet several times on the handwritten digits, with seeds from 1 on: by gradient sharing on a master,
// as dl4go train does, or in this process if the master is "plain". It prints the spread of the held-out accuracies,
// and how many of the last third of the epochs fell by more than digitsSpread points. It fails if the worst training is
// more than that below the median.
func digits(master string, times int) error {
	var last, late []float64
	for i := range times {
		all, err := digitsOnce(master, int64(i+1))
		if err != nil {
			return fmt.Errorf("training %d: %w", i+1, err)
		}
		last, late = append(last, all[len(all)-1]), append(late, all[digitsEpochs*2/3:]...)
		progress("training %d: %.2f, the last epochs %.2f", i+1, last[i], all[digitsEpochs*2/3:])
	}
	slices.Sort(last)
	median, falls := last[len(last)/2], 0
	for _, a := range late {
		if a < median-digitsSpread {
			falls++
		}
	}
	fmt.Printf("%d trainings on %s: accuracy %.2f to %.2f, median %.2f; %d of %d late epochs fell, the lowest to %.2f\n", times, master,
		last[0], last[len(last)-1], median, falls, len(late), slices.Min(late))
	if last[0] < median-digitsSpread {
		return errors.New("the worst training is too far below the median")
	}
	return nil
}

// digitsOnce returns the held-out accuracy after each epoch, in percent.
func digitsOnce(master string, seed int64) (all []float64, err error) {
	train, err := source.Digits("train")
	if err != nil {
		return nil, err
	}
	test, err := source.Digits("test")
	if err != nil {
		return nil, err
	}
	conf, err := nn.BuiltIn("lenet", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, seed)
	if err != nil {
		return nil, err
	}
	net, err := nn.New(conf)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	net.Init(uint64(seed))
	fit := func() error {
		order := random.Permutation(random.Mix(uint64(seed), uint64(net.Epoch())), train.Info().Examples)
		return net.FitEpoch(train.Examples(order).Batches(digitsBatch), uint64(seed))
	}
	if master != "plain" {
		sharer, done, err := digitsShared(master, seed, train, net)
		if err != nil {
			return nil, err
		}
		defer done()
		fit = sharer
	}
	for range digitsEpochs {
		if err := fit(); err != nil {
			return nil, err
		}
		a, err := accuracy(net, test)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// digitsShared returns a function that trains an epoch by gradient sharing.
func digitsShared(master string, seed int64, train source.Table, net *nn.MultiLayer) (fit func() error, done func(), err error) {
	ctx := context.Background()
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return nil, nil, err
	}
	d, err := distributed.FromSource(e, train, 0)
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	c := sharing.Default()
	c.BatchSizePerWorker, c.RDDTrainingApproach, c.RNGSeed = digitsBatch, sharing.Direct, seed
	m, err := sharing.New(c, sharing.Options{MinWorkers: e.Slots()})
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return func() error { return m.Fit(ctx, net, d, nil) }, func() { m.Close(); e.Close() }, nil
}
