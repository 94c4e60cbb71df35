package apply

import (
	"context"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/measure"
)

// SetReplicas sets the number of replicas that evaluate at a time in each process.
func (a *Applied) SetReplicas(n int) error { return a.on.SetDefaultEvaluationWorkers(n) }

// evaluation is an evaluation under way.
type evaluation struct {
	*Applied
	all      []*measure.Output
	options  distributed.EvaluationOptions
	evals    []eval.Evaluator // of all outputs
	begun    bool             // evals have counted examples
	cases    []*eval.Cases
	weighted *eval.Weighted // nil: without weights
	examples int
}

// Evaluate evaluates the outputs with empty evaluations, which it makes with the settings, and collects cases for the
// pages of files. It returns the number of examples, and the figures with weights; nil if there are none.
func (a *Applied) Evaluate(ctx context.Context, all []*measure.Output, s measure.Settings, f measure.Files) (int,
	*eval.Weighted, error) {
	info := a.source.Info()
	measure.Begin(all, s, info.Classes, info.OutputNames())
	e := &evaluation{Applied: a, all: all, options: distributed.EvaluationOptions{Revert: a.ownUnit()},
		weighted: a.weighted(info), cases: f.Cases(all, info)}
	for _, m := range all {
		e.evals = append(e.evals, m.Evals...)
		e.options.Outputs = append(e.options.Outputs, slices.Repeat([]int{m.Index}, len(m.Evals))...)
	}
	if a.data != nil {
		e.examples = info.Examples
	}
	err := a.counted("evaluate", func(done func(int)) error {
		return a.eachPiece(ctx, func(d *distributed.Data) error { return e.piece(ctx, d, done) })
	})
	if err != nil {
		return 0, nil, err
	}
	for _, m := range all {
		k := len(m.Evals)
		m.Evals, e.evals = e.evals[:k], e.evals[k:]
	}
	return e.examples, e.weighted, nil
}

// weighted returns empty figures with weights; nil if the data has no weights, or if such figures don't suit it.
func (a *Applied) weighted(info source.Info) *eval.Weighted {
	if !info.Weighted {
		return nil
	}
	if info.Task == source.MultiLabel || len(info.Labels) != 1 {
		a.Out.Warn("--weights: these figures know no weights: those of one class of several, and of numbers, do")
		return nil
	}
	return &eval.Weighted{Numbers: info.Classes == 0}
}

// piece evaluates the data, or a piece of a stream.
func (e *evaluation) piece(ctx context.Context, d *distributed.Data, done func(int)) error {
	if e.data == nil { // a piece of a stream
		more, err := d.Count(ctx)
		if err != nil {
			return err
		}
		e.examples += more
		done(more)
	}
	if e.weighted != nil {
		w, err := distributed.EvaluateWeighted(ctx, e.on, d, data.Weighting{}, e.weighted.Numbers, e.options.Revert)
		if err == nil {
			err = e.weighted.Merge(w)
		}
		if err != nil {
			return err
		}
	}
	err := distributed.EvaluateCases(ctx, e.on, d, e.Network.Normalizer, e.options.Revert, e.cases...)
	if err != nil {
		return err
	}
	got, err := e.on.DoEvaluation(ctx, d, e.options, e.evals...)
	if err != nil || !e.begun {
		e.evals, e.begun = got, true
		return err
	}
	return eval.MergeAll(e.evals, got)
}
