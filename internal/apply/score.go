package apply

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/results"
)

// Score is a network's score on data: the mean of the examples' scores, or their sum.
type Score struct {
	Value    float64
	Kind     string // mean or sum
	Examples int
}

// Score computes one score: the mean or, for a network that is trained on sums, the sum (Deeplearning4j:
// miniBatch(false)). With regularization, it has the terms of L1, L2 and weight decay, too.
func (a *Applied) Score(ctx context.Context, regularization bool) (Score, error) {
	s := Score{Kind: "mean"}
	err := a.counted("score", func(done func(int)) error {
		return a.eachPiece(ctx, func(d *distributed.Data) error {
			sum, examples, err := a.on.Score(ctx, d, false, false, 0)
			if err == nil {
				err = a.checkSum(ctx, d, s.Examples, sum)
			}
			s.Value += sum
			s.Examples += examples
			if a.data == nil { // a piece of a stream
				done(examples)
			}
			return err
		})
	})
	if err != nil {
		return s, err
	}
	if a.Network.SumsScores() {
		s.Kind = "sum"
	} else {
		s.Value /= float64(s.Examples)
	}
	if regularization {
		penalty, err := a.Network.Penalty()
		if err != nil {
			return s, err
		}
		s.Value += penalty
	}
	if !a.AllowNaN && !results.Finite(s.Value) {
		return s, fmt.Errorf("--model %s: the score with the regularization terms is %v", a.Model, s.Value)
	}
	return s, nil
}

// ScoreExamples writes the score of each example to the output, one a line, or as JSON. It returns their number.
func (a *Applied) ScoreExamples(ctx context.Context, regularization, json bool) (int, error) {
	w := results.NewScores(json, a.keyColumns(), a.Out.Data)
	err := a.counted("score", func(done func(int)) error {
		return a.eachPiece(ctx, func(d *distributed.Data) error {
			scores, err := a.on.ScoreExamples(ctx, d, regularization, 0)
			if err != nil {
				return err
			}
			defer scores.Release()
			err = scores.Each(ctx, func(key string, score float64) error {
				if err := a.checkScore(w.Examples(), key, score); err != nil {
					return err
				}
				done(1)
				return w.Write(key, score)
			})
			if err != nil {
				return err
			}
			return w.Flush()
		})
	})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = a.some(w.Examples())
	}
	return w.Examples(), err
}
