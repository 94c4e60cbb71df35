package train

import (
	"context"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/nn"
)

// scorer scores the network on held-out data, with the run's engine.
type scorer struct {
	on      *distributed.Network[*nn.Network]
	data    *distributed.Data
	classes int
	task    source.Task
	weights *data.Weighting // of classes; nil: all examples have the same weight
	metrics []string        // Config.Metrics, or the default for the task
	revert  *data.Scaler    // converts numbers back to their unit; nil if they are in it
}

// score computes the figures of the held-out data: its mean loss, and the accuracy of classes or the errors of
// numbers.
func (s *scorer) score(ctx context.Context, f *Figures) (err error) {
	if s == nil {
		return nil
	}
	ctx, end := tracing.Start(ctx, "score held-out data")
	defer func() { end(err) }()
	if err := s.plain(ctx, f); err != nil || s.weights == nil {
		return err
	}
	numbers := s.classes == 0
	if s.task == source.MultiLabel {
		return nil
	}
	f.Weighted, err = distributed.EvaluateWeighted(ctx, s.on, s.data, *s.weights, numbers, s.revert)
	return err
}

// plain computes the figures without weights, in one pass.
func (s *scorer) plain(ctx context.Context, f *Figures) error {
	kinds, evals := s.evaluations()
	if len(evals) == 0 {
		score, _, err := s.on.Score(ctx, s.data, true, false, 0)
		f.HeldOut = &score
		return err
	}
	got, loss, err := s.on.EvaluateAndScore(ctx, s.data, distributed.EvaluationOptions{Revert: s.revert}, evals...)
	if err != nil {
		return err
	}
	f.HeldOut = &loss
	for i, kind := range kinds {
		switch e := got[i].(type) {
		case *eval.Evaluation:
			accuracy := e.Accuracy()
			f.Accuracy = &accuracy
			if e.Rows() > 0 {
				label, predicted := eval.Commonest(e)
				f.Commonest = &Commonest{label, predicted}
			}
		case *eval.RegressionEvaluation: // averaged over the columns
			if s.classes == 0 && s.task == source.Regression {
				r2, mae := e.Average(e.RSquared), e.Average(e.MeanAbsoluteError)
				f.R2, f.MAE = &r2, &mae
			}
		}
		for _, name := range s.metrics {
			if m, _ := measureNamed(name); m.kind == kind {
				f.Measures = append(f.Measures, Measure{name, m.figure(got[i])})
			}
		}
	}
	return nil
}

// evaluations returns the evaluations for the wanted figures, each type once, beginning with the one that the task
// always has.
func (s *scorer) evaluations() (kinds []evaluation, evals []eval.Evaluator) {
	add := func(kind evaluation) {
		if !slices.Contains(kinds, kind) {
			kinds, evals = append(kinds, kind), append(evals, kind.start(s.classes))
		}
	}
	switch {
	case s.classes > 0:
		add(evaluation{of: ofClasses})
	case s.task == source.Regression:
		add(evaluation{of: ofNumbers})
	}
	for _, name := range s.metrics {
		m, _ := measureNamed(name)
		add(m.kind)
	}
	return kinds, evals
}
