package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/local"
	"github.com/dl4go/dl4go/program/cpu"
)

// epochs times epochs of the MLP on Fashion-MNIST, plain training with so many threads and parameter averaging on as
// many workers of one thread, in turn.
func epochs(dir string, threads int) error {
	table, err := fashion(dir, "train")
	if err != nil {
		return err
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, fmt.Sprintf("local[%d]", threads), engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	d, err := distributed.FromSource(e, table, 0)
	if err != nil {
		return err
	}
	fmt.Println("MLP 784-500-10 on Fashion-MNIST, batch 64, seconds an epoch; averaging every 5 minibatches")
	for _, approach := range []paramavg.Approach{paramavg.Direct, paramavg.Export} {
		plainNet, err := imageNet("mlp", 1)
		if err != nil {
			return err
		}
		x := cpu.New(cpu.Options{Threads: threads})
		plainNet.SetExecutor(x)
		averaged, err := imageNet("mlp", 1)
		if err != nil {
			return err
		}
		conf := paramavg.Default()
		conf.BatchSizePerWorker, conf.RDDTrainingApproach = batch, approach
		master, err := paramavg.New(conf, paramavg.Options{})
		if err != nil {
			return err
		}
		var ratios []float64
		for epoch := range 10 {
			start := time.Now()
			ahead := data.Prefetch(&permuted{table, paramavg.Permutation(0, uint64(epoch), table.Info().Examples), 0}, 2)
			err := plainNet.FitEpoch(ahead, 0)
			ahead.Close()
			if err != nil {
				return err
			}
			plain := time.Since(start).Seconds()
			start = time.Now()
			if err := master.Fit(ctx, averaged, d, nil); err != nil {
				return err
			}
			averaging := time.Since(start).Seconds()
			note := ""
			if epoch == 0 {
				note = "  (the first: with persisting or exporting)"
			} else {
				ratios = append(ratios, averaging/plain)
			}
			fmt.Printf("%s epoch %d: plain with %d threads %.2f, averaging on local[%d] %.2f, ratio %.2f%s\n",
				approach, epoch, threads, plain, threads, averaging, averaging/plain, note)
		}
		fmt.Printf("%s: median ratio after the first %.2f\n", approach, median(ratios))
		if err := master.Close(); err != nil {
			return err
		}
		x.Close()
	}
	return nil
}

// permuted gives a table's minibatches in an order.
type permuted struct {
	table source.Table
	order []int64
	at    int
}

func (p *permuted) Next() (*data.MultiDataSet, error) {
	if p.at == len(p.order) {
		return nil, io.EOF
	}
	var indices []int
	for ; p.at < len(p.order) && len(indices) < batch; p.at++ {
		indices = append(indices, int(p.order[p.at]))
	}
	return p.table.Examples(indices), nil
}
