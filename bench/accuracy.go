package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// accuracies compares the accuracies of gradient sharing and of plain training after the same epochs with the same
// minibatches: on Fashion-MNIST, on the digits, or for "embedding" on texts. Workers and plain training have one thread
// each.
type accuracies struct {
	dir        string   // folder of Fashion-MNIST's files, or "digits"
	models     []string // networks of imageNet, or "embedding"
	masters    []string // local[2]
	algorithms []string // see algorithm
	seeds      []int64
	epochs     int
	first      int // examples to train on; 0: all
	minibatch  int // of a worker; 0: the default of dl4go train
	options    sharing.Options

	train, test source.Table // of the current model
	batch       int
	plain       map[string]map[int64]float64 // accuracies by model and seed
}

// outcome is the result of gradient sharing with one seed.
type outcome struct {
	accuracy, points float64 // in percent, and its difference from plain training
	dense, sent      int64   // bytes of the updates, as vectors and as messages
	released         float64 // bytes that a worker receives in a step
	density          float64
}

func (a *accuracies) run() (err error) {
	if len(a.seeds) == 0 || a.epochs < 1 {
		return errors.New("-seeds and -epochs: at least one of each")
	}
	a.plain = map[string]map[int64]float64{}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "network\tepochs\tseeds\tmaster\tthresholds\tplain\tshared\tpoints\tbytes\tvalues sent\treceived a step\n")
	for _, model := range a.models {
		if err := a.open(model); err != nil {
			return err
		}
		if err := a.plainly(model); err != nil {
			return err
		}
		for _, master := range a.masters {
			for _, algorithm := range a.algorithms {
				var all []outcome
				for _, seed := range a.seeds {
					o, err := a.outcome(model, master, algorithm, seed)
					if err != nil {
						return fmt.Errorf("%s on %s, %s, seed %d: %w", model, master, algorithm, seed, err)
					}
					all = append(all, o)
				}
				a.row(w, model, master, algorithm, all)
			}
		}
	}
	return w.Flush()
}

// open opens the data of a model.
func (a *accuracies) open(model string) (err error) {
	a.batch = batch
	if model == "embedding" {
		a.train, a.test = newTexts(0, 6000), newTexts(1, 2000)
		return nil
	}
	parts := func(part string) (source.Table, error) {
		return fashion(context.Background(), a.dir, map[string]string{"train": "train", "test": "t10k"}[part])
	}
	if a.dir == "digits" {
		parts, a.batch = source.Digits, digitsBatch
	}
	if a.train, err = parts("train"); err == nil {
		a.test, err = parts("test")
	}
	if err == nil && a.first > 0 {
		indices := make([]int, min(a.first, a.train.Info().Examples))
		for i := range indices {
			indices[i] = i
		}
		a.train = source.Subset(a.train, a.train.Info().Name, indices)
	}
	return err
}

// row prints a line of the table: means over the seeds, and the standard deviations of the accuracies.
func (a *accuracies) row(w *tabwriter.Writer, model, master, algorithm string, all []outcome) {
	var plain, shared, points []float64
	var dense, sent int64
	density, released := 0.0, 0.0
	for i, o := range all {
		plain, shared, points = append(plain, a.plain[model][a.seeds[i]]), append(shared, o.accuracy), append(points, o.points)
		dense, sent, density = dense+o.dense, sent+o.sent, density+o.density/float64(len(all))
		released += o.released / float64(len(all))
	}
	p, pd := spread(plain)
	s, sd := spread(shared)
	d, dd := spread(points)
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%.2f ± %.2f\t%.2f ± %.2f\t%+.2f ± %.2f\t1/%.0f\t%.1f %%\t%.1f kB\n", model, a.epochs, len(all), master, algorithm,
		p, pd, s, sd, d, dd/math.Sqrt(float64(len(all))), float64(dense)/float64(sent), 100*density, released/1e3)
}

// plainly trains in this process with each seed.
func (a *accuracies) plainly(model string) error {
	a.plain[model] = map[int64]float64{}
	for _, seed := range a.seeds {
		begin := time.Now()
		var err error
		if a.plain[model][seed], err = a.plainWith(model, seed, a.batch); err != nil {
			return err
		}
		progress("%s, plain, seed %d: %.2f (%v)", model, seed, a.plain[model][seed], time.Since(begin).Round(time.Second))
	}
	return nil
}

// plainWith trains in this process, and returns the accuracy.
func (a *accuracies) plainWith(model string, seed int64, batch int) (float64, error) {
	net, done, err := a.network(model, seed)
	if err != nil {
		return 0, err
	}
	defer done()
	for epoch := range a.epochs {
		order := paramavg.Permutation(uint64(seed), uint64(epoch), a.train.Info().Examples)
		if err := net.FitEpoch(&permuted{a.train, order, batch, 0}, uint64(seed)); err != nil {
			return 0, err
		}
	}
	return accuracy(net, a.test)
}

// outcome trains on a master. On plain:N, this process trains with minibatches that are N times as large: what N workers
// lose by their longer steps alone.
func (a *accuracies) outcome(model, master, algorithm string, seed int64) (o outcome, err error) {
	times, plain := strings.CutPrefix(master, "plain:")
	if !plain {
		return a.shared(model, master, algorithm, seed)
	}
	n, err := strconv.Atoi(times)
	if err != nil || n < 1 {
		return o, fmt.Errorf("-master %s: plain: should be followed by a number from 1 on", master)
	}
	o.accuracy, err = a.plainWith(model, seed, n*a.batch)
	o.points, o.density, o.dense, o.sent = o.accuracy-a.plain[model][seed], 1, 1, 1
	return o, err
}

// shared trains by gradient sharing, with a fit for each epoch, as dl4go train does.
func (a *accuracies) shared(model, master, name string, seed int64) (o outcome, err error) {
	begin := time.Now()
	conf := sharing.Default()
	conf.RDDTrainingApproach, conf.RNGSeed = sharing.Direct, seed
	if conf.ThresholdAlgorithm, err = algorithm(name); err != nil {
		return o, err
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return o, err
	}
	defer e.Close()
	d, err := distributed.FromSource(e, a.train, 0)
	if err != nil {
		return o, err
	}
	net, done, err := a.network(model, seed)
	if err != nil {
		return o, err
	}
	defer done()
	conf.BatchSizePerWorker = cmp.Or(a.minibatch, conf.MinibatchFor(net, a.batch, e.Slots()))
	options := a.options
	options.Coding = sharing.CompactCoding // the bytes are those on a cluster
	m, err := sharing.New(conf, options)
	if err != nil {
		return o, err
	}
	for range a.epochs {
		if err := m.Fit(ctx, net, d, nil); err != nil {
			return o, err
		}
		last := m.Last()
		o.dense, o.sent, o.density = o.dense+last.Dense, o.sent+last.Messages, o.density+last.Sparsity/float64(a.epochs)
		o.released += received(last) / float64(a.epochs)
	}
	if err := m.Close(); err != nil {
		return o, err
	}
	if o.accuracy, err = accuracy(net, a.test); err != nil {
		return o, err
	}
	o.points = o.accuracy - a.plain[model][seed]
	progress("%s on %s, %s, seed %d: %.2f, %+.2f, bytes 1/%.0f (%v)", model, master, name, seed, o.accuracy, o.points,
		float64(o.dense)/float64(o.sent), time.Since(begin).Round(time.Second))
	return o, nil
}

// received returns the bytes of updates that a worker receives in a step.
func received(r sharing.Result) float64 {
	steps := float64(r.Updates) / float64(r.Workers)
	if r.Released == r.Messages { // all updates, of which it has its own
		return float64(r.Released) / steps * float64(r.Workers-1) / float64(r.Workers)
	}
	return float64(r.Released) / steps
}

// network returns a built-in network with one thread. done releases it.
func (a *accuracies) network(model string, seed int64) (net *nn.MultiLayer, done func(), err error) {
	if model == "embedding" {
		net, err = textNet(seed)
	} else {
		net, err = netOf(model, a.train.Info().Image.Height, seed)
	}
	if err != nil {
		return nil, nil, err
	}
	x := cpu.New(cpu.Options{Threads: 1})
	net.SetExecutor(x)
	return net, func() { net.Close(); x.Close() }, nil
}

// accuracy returns the percentage of the examples that the network classifies correctly.
func accuracy(net *nn.MultiLayer, test source.Table) (float64, error) {
	e := eval.NewEvaluation(0)
	err := net.EachOutput(source.Batches(test, 256), func(m *data.MultiDataSet, outputs []*tensor.Dense) error {
		return e.Eval(m.Labels[0], outputs[0], nil)
	})
	return 100 * e.Accuracy(), err
}

// spread returns the mean and the standard deviation.
func spread(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(max(1, len(x)-1)))
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
