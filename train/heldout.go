package train

import (
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// scorer scores the network on held-out data, on the run's engine.
type scorer struct {
	on      *distributed.Network[*nn.Network]
	data    *distributed.Data
	classes int
	task    source.Task
	weights *data.Weighting    // of classes; nil: the examples count the same
	revert  *normalizer.Scaler // brings numbers back to their unit; nil if they are in it
}

// score finds the figures of the held-out data: its mean loss, and the accuracy where it has classes or the errors of
// numbers.
func (s *scorer) score(ctx context.Context, f *Figures) error {
	if s == nil {
		return nil
	}
	if err := s.plain(ctx, f); err != nil || s.weights == nil {
		return err
	}
	numbers := s.classes == 0
	if s.task == source.MultiLabel {
		return nil
	}
	var err error
	f.Weighted, err = distributed.EvaluateWeighted(ctx, s.on, s.data, *s.weights, numbers, s.revert)
	return err
}

// plain finds the figures to which all examples count the same, in one pass.
func (s *scorer) plain(ctx context.Context, f *Figures) error {
	if s.classes == 0 && s.task != source.Regression {
		score, _, err := s.on.Score(ctx, s.data, true, false, 0)
		f.HeldOut = &score
		return err
	}
	var what eval.Evaluator = eval.NewEvaluation(0)
	if s.classes == 0 {
		what = eval.NewRegressionEvaluation()
	}
	got, loss, err := s.on.EvaluateAndScore(ctx, s.data, distributed.EvaluationOptions{Revert: s.revert}, what)
	if err != nil {
		return err
	}
	f.HeldOut = &loss
	switch e := got[0].(type) {
	case *eval.Evaluation:
		accuracy := e.Accuracy()
		f.Accuracy = &accuracy
	case *eval.RegressionEvaluation: // on average over the columns
		r2, mae := e.Average(e.RSquared), e.Average(e.MeanAbsoluteError)
		f.R2, f.MAE = &r2, &mae
	}
	return nil
}
