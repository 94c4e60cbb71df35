package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// nothing reads nothing and writes one byte.
var nothing = engine.Register("bench.nothing", func(_ *engine.Task, _ struct{}, _ engine.Rows, out engine.Writer) error {
	return out.Write(engine.Unindexed([]byte{0}))
})

// applying times reading, evaluating, predicting and scoring Fashion-MNIST's 10,000 test images on a Spark cluster.
// Without a directory, it uses as many made-up images. It alternates each of them with an empty query, the given number
// of times, and prints the time beyond the query's.
func applying(dir, master, model string, times int) error {
	ctx := context.Background()
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	net, err := imageNet(model, 1)
	if err != nil {
		return err
	}
	on := distributed.New(e, net, nil, distributed.Options{})
	saved, err := os.MkdirTemp("", "dl4go-predict-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(saved)
	var all *data.MultiDataSet
	if dir != "" {
		test, err := fashion(ctx, dir, "t10k")
		if err != nil {
			return err
		}
		all = test.Range(0, test.Info().Examples)
	} else {
		x, y := uniform(10_000, 784), tensor.New(10_000, 10)
		for i := range 10_000 {
			y.Data[i*10+i%10] = 1
		}
		all = (&data.DataSet{Features: x, Labels: y}).Multi()
	}
	for i := 0; i < all.Examples(); i += 1000 {
		if err := all.Slice(i, i+1000).SaveFile(ctx, filepath.Join(saved, fmt.Sprintf("dataset_%02d.bin", i/1000))); err != nil {
			return err
		}
	}
	memory, err := distributed.FromDataSets(e, []*data.MultiDataSet{all.Slice(0, 5000), all.Slice(5000, 10_000)}, 0)
	if err != nil {
		return err
	}
	files, err := source.Open(ctx, "dl4j:"+saved)
	if err != nil {
		return err
	}
	fromFiles, err := distributed.FromSource(e, files, 0)
	if err != nil {
		return err
	}
	empty := engine.Parallelize(e, make([][]engine.Row, e.Slots())).Map(nothing.With(struct{}{}))
	query := func() error {
		_, err := empty.CollectAll(ctx)
		return err
	}
	predict := func(d *distributed.Data) error {
		p, err := on.Predict(ctx, d, distributed.PredictOptions{})
		if err != nil {
			return err
		}
		defer p.Release()
		n := 0
		err = p.Each(ctx, func(string, []*tensor.Dense) error { n++; return nil })
		if err == nil && n != all.Examples() {
			err = fmt.Errorf("%d predictions", n)
		}
		return err
	}
	evaluate := func(d *distributed.Data) error { _, err := on.Evaluate(ctx, d, nil, 1); return err }
	score := func(d *distributed.Data) error { _, _, err := on.Score(ctx, d, true, true, 0); return err }
	read := func(d *distributed.Data) error {
		_, err := d.Rows().Map(tally.With(struct{}{})).CollectAll(ctx)
		return err
	}
	works := []struct {
		name string
		do   func() error
	}{
		{"read, rows of the driver's", func() error { return read(memory) }},
		{"evaluate, rows of the driver's", func() error { return evaluate(memory) }},
		{"predict, rows of the driver's", func() error { return predict(memory) }},
		{"score, rows of the driver's", func() error { return score(memory) }},
		{"read, files", func() error { return read(fromFiles) }},
		{"evaluate, files", func() error { return evaluate(fromFiles) }},
		{"predict, files", func() error { return predict(fromFiles) }},
	}
	seconds := func(do func() error) (float64, error) {
		begin := time.Now()
		err := do()
		return time.Since(begin).Seconds(), err
	}
	if err := query(); err != nil {
		return err
	}
	for _, w := range works {
		var took, idle, beyond []float64
		for range times {
			i, err := seconds(query)
			if err != nil {
				return err
			}
			s, err := seconds(w.do)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			took, idle, beyond = append(took, s), append(idle, i), append(beyond, s-i)
		}
		fmt.Printf("%s, %d examples, %s: the first time %.2f s; medians of %d: %.2f s, an empty query %.2f s, beyond it %.2f s\n",
			model, all.Examples(), w.name, took[0], times, median(took), median(idle), median(beyond))
	}
	return nil
}
