package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/progress"
)

func scoreCommand() *cobra.Command {
	f := &applyFlags{}
	examples, regularization := false, false
	cmd := &cobra.Command{
		Use:   "score --model FILE --data SOURCE",
		Short: "Print a model's loss on data, in all or of each example",
		Long: `Print the mean loss of the data's examples in inference, with the masks that saved DataSets have. --examples
prints the loss of each example instead, one a line; --regularization adds the L1, L2 and weight-decay terms.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := f.open(cmd, true, nil)
			if err != nil {
				return err
			}
			defer a.close()
			return f.score(cmd, a, examples, regularization)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&examples, "examples", false, "print the score of each example, one a line")
	cmd.Flags().BoolVar(&regularization, "regularization", false, "add the L1, L2 and weight-decay terms")
	return cmd
}

func (f *applyFlags) score(cmd *cobra.Command, a *applied, examples, regularization bool) error {
	penalty := 0.0
	if regularization {
		var err error
		if penalty, err = a.net.Penalty(); err != nil {
			return err
		}
	}
	sum, n := 0.0, 0
	err := a.counted("score", func(done func(int)) error {
		return a.on.ScoreExamples(cmd.Context(), a.data, false, 0, func(loss float64) error {
			done(1)
			sum += loss
			n++
			if !examples {
				return nil
			}
			a.out.line("%.9g", loss+penalty)
			a.out.emit("example", event{"example": n - 1, "score": loss + penalty})
			return nil
		})
	})
	if err == nil {
		err = a.some(n)
	}
	if err != nil {
		return err
	}
	score, kind := sum/float64(n), "mean"
	if a.net.SumsScores() { // as Deeplearning4j's score with miniBatch(false)
		score, kind = sum, "sum"
	}
	score += penalty
	if !examples {
		a.out.line("score %.9g, the %s over %s examples of %s, %.2f s", score, kind, progress.Count(int64(n)), a.source.Info().Name,
			time.Since(a.begin).Seconds())
	}
	return a.done(f.model, n, event{"score": score, "regularization": regularization})
}
