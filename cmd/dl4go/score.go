package main

import (
	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/workplace"
)

func scoreCommand() *cobra.Command {
	f := &applyFlags{}
	examples, regularization := false, false
	cmd := &cobra.Command{
		Use:   "score --model FILE --data SOURCE",
		Short: "Print a model's loss on data",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.score(cmd, examples, regularization) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&examples, "examples", false, "print the score of each example, one a line")
	cmd.Flags().BoolVar(&regularization, "regularization", false, "add the L1, L2 and weight-decay terms")
	f.addAllowNaN(cmd.Flags())
	f.settings.add(cmd.Flags())
	return cmd
}

// score prints one score, or with examples a score per line.
func (f *applyFlags) score(cmd *cobra.Command, examples, regularization bool) error {
	if !examples && workplace.Queried(f.Data) && f.settings.Given("keys") != nil {
		return usagef("--keys goes with --examples")
	}
	if examples {
		f.settings.PartitionRows = distributed.PieceRows
		f.piped = true
	}
	a, err := f.open(cmd, apply.Want{Labels: true})
	if err != nil {
		return err
	}
	defer a.Close()
	if examples {
		n, err := a.ScoreExamples(cmd.Context(), regularization, f.json)
		if err != nil {
			return err
		}
		return a.Done(n, event{"regularization": regularization})
	}
	s, err := a.Score(cmd.Context(), regularization)
	if err != nil {
		return err
	}
	a.Out.Line("score %.9g, the %s over %s examples of %s, %.2f s", s.Value, s.Kind, progress.Count(int64(s.Examples)),
		a.Name(), a.Seconds())
	return a.Done(s.Examples, event{"score": s.Value, "regularization": regularization})
}
