package measure

import (
	"fmt"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/jsonline"
)

// Weighted returns the figures for --json in which examples count by their weight.
func Weighted(w *eval.Weighted) map[string]any {
	if w.Numbers {
		return map[string]any{"weightedR2": jsonline.Value(w.RSquared()),
			"weightedMae": jsonline.Value(w.MeanAbsoluteError())}
	}
	return map[string]any{"weightedAccuracy": jsonline.Value(w.Accuracy())}
}

// WeightedLine returns a line with these figures.
func WeightedLine(w *eval.Weighted) string {
	if w.Numbers {
		return fmt.Sprintf("with the weights: R² %.4f, mean absolute error %.4g", w.RSquared(), w.MeanAbsoluteError())
	}
	return fmt.Sprintf("with the weights: accuracy %.4f", w.Accuracy())
}
