package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// collecting times epochs of parameter averaging on Fashion-MNIST with and without statistics, in pairs in alternating
// order. All epochs start with the same parameters. The first pair is not counted.
func collecting(dir, on, model string, pairs int) error {
	ctx := context.Background()
	e, d, _, err := training(ctx, dir, on, engine.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer e.Close()
	first, err := imageNet(model, 1)
	if err != nil {
		return err
	}
	type way struct {
		master     *paramavg.TrainingMaster
		net        *nn.Network
		wall, busy []float64 // seconds of an epoch: wall-clock and processor time
	}
	ways := make([]*way, 2)
	for i := range ways {
		settings := paramavg.Default()
		settings.BatchSizePerWorker, settings.RDDTrainingApproach, settings.CollectTrainingStats = batch, paramavg.Direct, i == 1
		tm, err := paramavg.New(settings, paramavg.Options{})
		if err != nil {
			return err
		}
		defer tm.Close()
		ways[i] = &way{master: tm, net: first.Copy()}
	}
	fmt.Printf("%s on Fashion-MNIST, batch %d, seconds an epoch without and with statistics, on %s\n", model, batch, e.Master())
	var walls, busies []float64
	for pair := range pairs + 1 {
		for k := range ways {
			w := ways[(k+pair)%2]
			if err := w.net.SetParams(first.Params()); err != nil {
				return err
			}
			w.net.SetEpoch(0)
			begin, busy := time.Now(), processorTime(os.Getpid())
			if err := w.master.Fit(ctx, w.net, d, nil); err != nil {
				return err
			}
			w.wall = append(w.wall, time.Since(begin).Seconds())
			w.busy = append(w.busy, (processorTime(os.Getpid())-busy)/1000)
		}
		a, b := ways[0], ways[1]
		if pair == 0 {
			a.wall, a.busy, b.wall, b.busy = nil, nil, nil, nil
			continue
		}
		i := pair - 1
		walls, busies = append(walls, b.wall[i]/a.wall[i]), append(busies, b.busy[i]/a.busy[i])
	}
	a, b := ways[0], ways[1]
	fmt.Printf("%d pairs, %d events an epoch; medians: wall %.3f and %.3f s, ratio of pairs %.4f; processors %.3f and %.3f s, ratio of pairs %.4f, of sums %.4f\n",
		pairs, len(b.master.Stats().Events())/(pairs+1), median(a.wall), median(b.wall), median(walls), median(a.busy), median(b.busy), median(busies), sum(b.busy)/sum(a.busy))
	return nil
}

func sum(all []float64) (s float64) {
	for _, x := range all {
		s += x
	}
	return s
}
