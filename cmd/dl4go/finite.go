package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/tensor"
)

// addAllowNaN is for the commands whose results are numbers of the network.
func (f *applyFlags) addAllowNaN(fs *pflag.FlagSet) {
	fs.BoolVar(&f.allowNaN, "allow-nan", false, "accept results that are NaN or infinite")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// noNumber is the error of a result that is NaN or infinite. It names the example: by its key, or from 0.
func (f *applyFlags) noNumber(what string, x float64, n int, key string) error {
	of := fmt.Sprintf("example %d of the data", n)
	if key != "" {
		of += fmt.Sprintf(" (key %s)", strconv.Quote(key))
	}
	return fmt.Errorf("--model %s: %s of %s is %v; check the example and the model, or accept such results with --allow-nan",
		f.model, what, of, x)
}

// checkOutputs wants numbers of the network for example n.
func (f *applyFlags) checkOutputs(n int, key string, outputs []*tensor.Dense) error {
	if f.allowNaN {
		return nil
	}
	for _, y := range outputs {
		for _, v := range y.Data {
			if !finite(float64(v)) {
				return f.noNumber("the output", float64(v), n, key)
			}
		}
	}
	return nil
}

// checkScore wants a number as the score of example n.
func (f *applyFlags) checkScore(n int, key string, score float64) error {
	if f.allowNaN || finite(score) {
		return nil
	}
	return f.noNumber("the score", score, n, key)
}

// checkSum wants a number as the sum of the scores of d, whose first example is example n of the data. If it is
// none, the error names the first example that is to blame.
func (f *applyFlags) checkSum(ctx context.Context, a *applied, d *distributed.Data, n int, sum float64) error {
	if f.allowNaN || finite(sum) {
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
