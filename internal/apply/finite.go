package apply

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/tensor"
)

// checkOutputs checks that the outputs for example n are finite.
func (o Options) checkOutputs(n int, key string, outputs []*tensor.Dense) error {
	if o.AllowNaN {
		return nil
	}
	return o.noNumber(results.CheckOutputs(n, key, outputs))
}

// checkScore checks that the score of example n is finite.
func (o Options) checkScore(n int, key string, score float64) error {
	if o.AllowNaN {
		return nil
	}
	return o.noNumber(results.CheckScore(n, key, score))
}

func (o Options) noNumber(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--model %s: %w; check the example and the model, or accept such results with --allow-nan", o.Model,
		err)
}

// checkSum checks that the sum of the scores of d is finite. n is the index in the data of d's first example. If the
// sum is not finite, the error names the first example with such a score.
func (a *Applied) checkSum(ctx context.Context, d *distributed.Data, n int, sum float64) error {
	if a.AllowNaN || results.Finite(sum) {
		return nil
	}
	scores, err := a.on.ScoreExamples(ctx, d, false, 0)
	if err != nil {
		return err
	}
	defer scores.Release()
	err = scores.Each(ctx, func(key string, score float64) error {
		n++
		return a.checkScore(n-1, key, score)
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("--model %s: the sum of the scores is %v", a.Model, sum)
}
