package eval

import (
	"fmt"
	"slices"
	"strings"
)

// Empty reports whether an evaluation of this package has counted nothing yet, because there was no data or masks left
// everything out. Other evaluators may have a method Empty; without one, they count as not empty.
func Empty(e Evaluator) bool {
	switch e := e.(type) {
	case *Evaluation:
		return e.rows == 0
	case *EvaluationBinary:
		return !slices.ContainsFunc(e.of, func(t tally) bool { return t != tally{} })
	case *ROC:
		return e.examples == 0
	case *ROCBinary:
		return e.nothing()
	case *ROCMultiClass:
		return e.nothing()
	case *RegressionEvaluation:
		return !slices.ContainsFunc(e.of, func(c column) bool { return c.count != 0 })
	case *EvaluationCalibration:
		return !slices.ContainsFunc(e.predictionCounts, func(n int64) bool { return n != 0 })
	case interface{ Empty() bool }:
		return e.Empty()
	}
	return false
}

func (e *ROCs) nothing() bool {
	return !slices.ContainsFunc(e.of, func(r *ROC) bool { return r.examples != 0 })
}

// CheckCounted returns an error that names the first evaluation that is [Empty]. Call it after all data: the figures of
// an empty evaluation mean nothing.
func CheckCounted(evals ...Evaluator) error {
	for i, e := range evals {
		if Empty(e) {
			name := fmt.Sprintf("%T", e)
			return fmt.Errorf("evaluation %d (%s) counts nothing: the mask of the labels is 0 everywhere, which leaves all "+
				"examples out",
				i, name[strings.LastIndex(name, ".")+1:])
		}
	}
	return nil
}
