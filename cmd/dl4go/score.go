package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/results"
)

func scoreCommand() *cobra.Command {
	f := &applyFlags{}
	examples, regularization := false, false
	cmd := &cobra.Command{
		Use:   "score --model FILE --data SOURCE",
		Short: "Print a model's loss on data",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !examples && queried(f.data) && f.settings.given("keys") != nil {
				return usagef("--keys goes with --examples")
			}
			if examples {
				f.settings.PartitionRows = distributed.PieceRows
				f.piped = true
			}
			a, err := f.open(cmd, true, nil)
			if err != nil {
				return err
			}
			defer a.close()
			if examples {
				return f.scoreExamples(cmd, a, regularization)
			}
			return f.score(cmd, a, regularization)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&examples, "examples", false, "print the score of each example, one a line")
	cmd.Flags().BoolVar(&regularization, "regularization", false, "add the L1, L2 and weight-decay terms")
	f.addAllowNaN(cmd.Flags())
	f.settings.add(cmd.Flags())
	return cmd
}

// score prints one score: the mean or, for a network that is trained on sums, the sum (Deeplearning4j:
// miniBatch(false)).
func (f *applyFlags) score(cmd *cobra.Command, a *applied, regularization bool) error {
	sums := a.net.SumsScores()
	score, n := 0., 0
	err := a.counted("score", func(done func(int)) error {
		return a.eachPiece(cmd.Context(), func(d *distributed.Data) error {
			sum, examples, err := a.on.Score(cmd.Context(), d, false, false, 0)
			if err == nil {
				err = f.checkSum(cmd.Context(), a, d, n, sum)
			}
			score += sum
			n += examples
			if a.data == nil { // a piece of a stream
				done(examples)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if !sums {
		score /= float64(n)
	}
	kind := "mean"
	if sums {
		kind = "sum"
	}
	if regularization {
		penalty, err := a.net.Penalty()
		if err != nil {
			return err
		}
		score += penalty
	}
	if !f.allowNaN && !results.Finite(score) {
		return fmt.Errorf("--model %s: the score with the regularization terms is %v", f.model, score)
	}
	a.out.Line("score %.9g, the %s over %s examples of %s, %.2f s", score, kind, progress.Count(int64(n)),
		a.source.Info().Name,
		time.Since(a.begin).Seconds())
	return a.done(f.model, n, event{"score": score, "regularization": regularization})
}

// scoreExamples prints a score per line.
func (f *applyFlags) scoreExamples(cmd *cobra.Command, a *applied, regularization bool) error {
	w := results.NewScores(f.json, a.keyColumns(), a.out.Data)
	err := a.counted("score", func(done func(int)) error {
		return a.eachPiece(cmd.Context(), func(d *distributed.Data) error {
			scores, err := a.on.ScoreExamples(cmd.Context(), d, regularization, 0)
			if err != nil {
				return err
			}
			defer scores.Release()
			err = scores.Each(cmd.Context(), func(key string, score float64) error {
				if err := f.checkScore(w.Examples(), key, score); err != nil {
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
	if err != nil {
		return err
	}
	return a.done(f.model, w.Examples(), event{"regularization": regularization})
}
