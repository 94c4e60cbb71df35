package trainlog

import (
	"fmt"
	"maps"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/measure"
)

// weighted adds the figures in which examples count by their weight, and returns their text for a line.
func weighted(w *eval.Weighted, before string, e event) string {
	if w == nil {
		return ""
	}
	figures := measure.Weighted(w)
	maps.Copy(e, figures)
	if w.Numbers {
		return fmt.Sprintf("%s R² %.4f", before, w.RSquared())
	}
	return fmt.Sprintf("%s accuracy %.4f", before, w.Accuracy())
}
