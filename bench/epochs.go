package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn"
)

// epochs times epochs on Fashion-MNIST. It alternates between plain training with the given threads and each of the
// ways on a master whose workers have one thread: jobs and resident (parameter averaging, every 5 minibatches) and
// sharing (of gradients). The first epoch exports the data, and is not in the medians. A fit is timed from its call to
// its return.
func epochs(dir, on, model string, threads, passes int, ways []string) error {
	ctx := context.Background()
	e, d, table, err := training(ctx, dir, on, engine.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer e.Close()
	fmt.Printf("%s on Fashion-MNIST, batch %d, seconds an epoch, on %s\n", model, batch, e.Master())
	for _, approach := range []paramavg.Approach{paramavg.Direct, paramavg.Export} {
		plain, err := imageNet(model, 1)
		if err != nil {
			return err
		}
		x := cpu.New(cpu.Options{Threads: threads})
		plain.SetExecutor(x)
		var all []*timed
		for _, way := range ways {
			t, err := newTimed(way, model, approach)
			if err != nil {
				return err
			}
			all = append(all, t)
		}
		var plainly []float64
		for epoch := range passes {
			start := time.Now()
			ahead := data.Prefetch(&permuted{table, paramavg.Permutation(0, uint64(epoch), table.Info().Examples), batch, 0}, 2)
			err := plain.FitEpoch(ahead, 0)
			ahead.Close()
			if err != nil {
				return err
			}
			plainly = append(plainly, time.Since(start).Seconds())
			fmt.Printf("%s epoch %d: plain with %d threads %.2f", approach, epoch, threads, plainly[epoch])
			for _, t := range all {
				if err := t.fit(ctx, d, epoch, plainly[epoch]); err != nil {
					return err
				}
				fmt.Printf(", %s %.2f", t.way, t.seconds[epoch])
			}
			fmt.Println()
		}
		for _, t := range all {
			fmt.Printf("%s, after the first epoch: %s %.2f s, plain %.2f s (medians), median ratio %.2f\n", approach, t.way,
				median(t.seconds[1:]), median(plainly[1:]), median(t.ratios[1:]))
			if err := t.master.Close(); err != nil {
				return err
			}
		}
		x.Close()
	}
	return nil
}

// timed is a way to train with workers.
type timed struct {
	way    string
	net    *nn.MultiLayer
	master interface {
		distributed.TrainingMaster
		Close() error
	}
	seconds, ratios []float64
}

func newTimed(way, model string, approach paramavg.Approach) (t *timed, err error) {
	t = &timed{way: way}
	switch way {
	case "jobs", "resident":
		conf := paramavg.Default()
		conf.BatchSizePerWorker, conf.RDDTrainingApproach = batch, approach
		t.master, err = paramavg.New(conf, paramavg.Options{Rounds: paramavg.Way(way)})
	case "sharing":
		conf := sharing.Default()
		conf.BatchSizePerWorker, conf.RDDTrainingApproach = batch, approach
		t.master, err = sharing.New(conf, sharing.Options{MinWorkers: math.MaxInt}) // all of them
	default:
		err = fmt.Errorf("there is no way %q: jobs, resident, sharing", way)
	}
	if err != nil {
		return nil, err
	}
	t.net, err = imageNet(model, 1)
	return t, err
}

func (t *timed) fit(ctx context.Context, d *distributed.Data, epoch int, plain float64) error {
	start := time.Now()
	if err := t.master.Fit(ctx, t.net, d, nil); err != nil {
		return err
	}
	s := time.Since(start).Seconds()
	t.seconds, t.ratios = append(t.seconds, s), append(t.ratios, s/plain)
	return nil
}

// permuted returns a table's minibatches in a given order.
type permuted struct {
	table source.Table
	order []int64
	batch int
	at    int
}

func (p *permuted) Next() (*data.MultiDataSet, error) {
	if p.at == len(p.order) {
		return nil, io.EOF
	}
	var indices []int
	for ; p.at < len(p.order) && len(indices) < p.batch; p.at++ {
		indices = append(indices, int(p.order[p.at]))
	}
	return p.table.Examples(indices), nil
}
