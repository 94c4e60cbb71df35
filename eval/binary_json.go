package eval

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

func init() {
	register("EvaluationBinary", func() Evaluator { return NewEvaluationBinary() })
}

// MarshalTree returns the members in Deeplearning4j's order.
func (e *EvaluationBinary) MarshalTree() (any, error) {
	counts := func(of func(tally) int64) any {
		if e.of == nil {
			return nil
		}
		out := make([]any, len(e.of))
		for i, t := range e.of {
			out[i] = of(t)
		}
		return out
	}
	var roc, thresholds any
	if e.ROC != nil {
		var err error
		var c Evaluator = e.ROC
		if roc, err = dl4j.ToTree(&c); err != nil {
			return nil, err
		}
	}
	if e.DecisionThresholds != nil {
		thresholds = dl4j.Object{
			{Name: "dataType", Value: "FLOAT"},
			{Name: "shape", Value: []any{1, len(e.DecisionThresholds)}},
			{Name: "data", Value: list(e.DecisionThresholds)},
		}
	}
	return dl4j.Object{
		{Name: "axis", Value: e.Axis},
		{Name: "countTruePositive", Value: counts(func(t tally) int64 { return t.tp })},
		{Name: "countFalsePositive", Value: counts(func(t tally) int64 { return t.fp })},
		{Name: "countTrueNegative", Value: counts(func(t tally) int64 { return t.tn })},
		{Name: "countFalseNegative", Value: counts(func(t tally) int64 { return t.fn })},
		{Name: "rocBinary", Value: roc},
		{Name: "labels", Value: names(e.Labels)},
		{Name: "decisionThreshold", Value: thresholds},
	}, nil
}

// UnmarshalTree reads the members.
func (e *EvaluationBinary) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := struct {
		Axis       int                 `dl4j:"axis"`
		TP         []int64             `dl4j:"countTruePositive"`
		FP         []int64             `dl4j:"countFalsePositive"`
		TN         []int64             `dl4j:"countTrueNegative"`
		FN         []int64             `dl4j:"countFalseNegative"`
		ROC        Evaluator           `dl4j:"rocBinary"`
		Labels     []string            `dl4j:"labels"`
		Thresholds *arrayFile[float32] `dl4j:"decisionThreshold"`
	}{Axis: 1}
	if err := dl4j.FromTree(o.Without("@class"), &f); err != nil {
		return err
	}
	n := &EvaluationBinary{Labels: f.Labels, Axis: f.Axis}
	if f.Thresholds != nil {
		n.DecisionThresholds = f.Thresholds.Data
	}
	if reason := n.invalid(); reason != "" {
		return errors.New(reason)
	}
	outputs := len(f.TP)
	if len(f.FP) != outputs || len(f.TN) != outputs || len(f.FN) != outputs {
		return fmt.Errorf("the counts are of %d, %d, %d and %d outputs", outputs, len(f.FP), len(f.TN), len(f.FN))
	}
	for i := range outputs {
		t := tally{f.TP[i], f.FP[i], f.TN[i], f.FN[i]}
		if min(t.tp, t.fp, t.tn, t.fn) < 0 || max(t.tp, t.fp, t.tn, t.fn) > maxCount {
			return fmt.Errorf("output %d has the counts %d, %d, %d and %d", i, t.tp, t.fp, t.tn, t.fn)
		}
		n.of = append(n.of, t)
	}
	if f.ROC != nil {
		if n.ROC, ok = f.ROC.(*ROCBinary); !ok {
			return fmt.Errorf("rocBinary is a %T", f.ROC)
		}
	}
	for what, count := range map[string]int{"labels": len(n.Labels), "decision thresholds": len(n.DecisionThresholds)} {
		if outputs > 0 && count > 0 && count != outputs {
			return fmt.Errorf("there are %d %s for %d outputs", count, what, outputs)
		}
	}
	if n.ROC != nil && n.ROC.Outputs() > 0 && n.ROC.Outputs() != outputs {
		return fmt.Errorf("there are ROCs of %d outputs for %d", n.ROC.Outputs(), outputs)
	}
	*e = *n
	return nil
}
