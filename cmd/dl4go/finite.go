package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/tensor"
)

// addAllowNaN adds --allow-nan, for commands whose results are a network's numbers.
func (f *applyFlags) addAllowNaN(fs *pflag.FlagSet) {
	fs.BoolVar(&f.allowNaN, "allow-nan", false, "accept results that are NaN or infinite")
}

// checkOutputs checks that the outputs for example n are finite.
func (f *applyFlags) checkOutputs(n int, key string, outputs []*tensor.Dense) error {
	if f.allowNaN {
		return nil
	}
	return f.noNumber(results.CheckOutputs(n, key, outputs))
}

// checkScore checks that the score of example n is finite.
func (f *applyFlags) checkScore(n int, key string, score float64) error {
	if f.allowNaN {
		return nil
	}
	return f.noNumber(results.CheckScore(n, key, score))
}

func (f *applyFlags) noNumber(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--model %s: %w; check the example and the model, or accept such results with --allow-nan", f.model,
		err)
}

// checkSum checks that the sum of the scores of d is finite. n is the index in the data of d's first example. If the
// sum is not finite, the error names the first example with such a score.
func (f *applyFlags) checkSum(ctx context.Context, a *applied, d *distributed.Data, n int, sum float64) error {
	if f.allowNaN || results.Finite(sum) {
		return nil
	}
	scores, err := a.on.ScoreExamples(ctx, d, false, 0)
	if err != nil {
		return err
	}
	defer scores.Release()
	err = scores.Each(ctx, func(key string, score float64) error {
		n++
		return f.checkScore(n-1, key, score)
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("--model %s: the sum of the scores is %v", f.model, sum)
}
