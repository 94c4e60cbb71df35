package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// maxConfusionClasses is the number of classes up to which Stats prints a confusion matrix.
const maxConfusionClasses = 20

// Stats returns the report that Deeplearning4j prints. Warnings name the classes without a prediction or an example.
func (e *Evaluation) Stats() string {
	if e.rows == 0 {
		return "Evaluation: No data available (no evaluation has been performed)"
	}
	var b strings.Builder
	classes := len(e.Labels)
	line := func(name string, x float64, m metric) {
		fmt.Fprintf(&b, "\n %-17s%s", name, decimal(x))
		if m == nil || classes <= 2 {
			return
		}
		if _, n := e.averaged(Macro, m); n > 0 {
			fmt.Fprintf(&b, "\t(%d %s excluded from average)", n, plural("class", "classes", n))
		}
	}
	b.WriteString("\n\n========================Evaluation Metrics========================")
	fmt.Fprintf(&b, "\n # of classes:    %d", classes)
	line("Accuracy:", e.Accuracy(), nil)
	if e.TopN > 1 {
		fmt.Fprintf(&b, "\n Top %d Accuracy:  %s", e.TopN, decimal(e.TopNAccuracy()))
	}
	line("Precision:", e.Precision(), tally.precision)
	line("Recall:", e.Recall(), tally.recall)
	line("F1 Score:", e.F1(), fBeta(1))
	if e.binary() {
		c := *e.BinaryPositiveClass
		fmt.Fprintf(&b, "\nPrecision, recall & F1: reported for positive class (class %d - \"%s\") only", c, e.Labels[c])
	} else {
		fmt.Fprintf(&b, "\nPrecision, recall & F1: macro-averaged (equally weighted avg. of %d classes)", classes)
	}
	if e.BinaryDecisionThreshold != nil {
		b.WriteString("\nBinary decision threshold: " + dl4j.FormatDouble(*e.BinaryDecisionThreshold))
	}
	if e.CostArray != nil {
		costs := make([]string, len(e.CostArray))
		for i, x := range e.CostArray {
			costs[i] = dl4j.FormatFloat(x)
		}
		b.WriteString("\nCost array: [" + strings.Join(costs, ", ") + "]")
	}
	b.WriteString("\n\n")
	b.WriteString(e.warning("precision", tally.precision))
	b.WriteString(e.warning("recall", tally.recall))
	if classes <= maxConfusionClasses {
		b.WriteString("\n=========================Confusion Matrix=========================\n" + e.ConfusionMatrix())
	} else {
		fmt.Fprintf(&b, "\n\nNote: Confusion matrix not generated due to space requirements for %d classes.\n"+
			"Use stats(false,true) to generate anyway", classes)
	}
	b.WriteString("\n==================================================================")
	return b.String()
}

func plural(one, many string, n int) string {
	if n == 1 {
		return one
	}
	return many
}

// warning lists the classes for which a metric is undefined.
func (e *Evaluation) warning(name string, m metric) string {
	var classes []string
	for i, t := range e.tallies() {
		if _, ok := m(t); !ok {
			classes = append(classes, strconv.Itoa(i))
		}
	}
	n := len(classes)
	if n == 0 {
		return ""
	}
	were := plural("was", "were", n)
	s := fmt.Sprintf("Warning: %d %s %s never predicted by the model and %s excluded from average %s",
		n, plural("class", "classes", n), were, were, name)
	if n <= e.MaxWarningClassesToPrint {
		s += fmt.Sprintf("\nClasses excluded from average %s: [%s]\n", name, strings.Join(classes, ", "))
	}
	return s
}

// ConfusionMatrix returns the table that Deeplearning4j prints: a row for each actual class, a column for each
// predicted one.
func (e *Evaluation) ConfusionMatrix() string {
	if len(e.Labels) == 0 {
		return "Confusion matrix: <no data>"
	}
	classes := len(e.Labels)
	largest := int64(classes)
	for _, n := range e.counts {
		largest = max(largest, n)
	}
	width := max(int(math.Ceil(math.Log10(float64(largest)))), 1) + 1
	var b strings.Builder
	for i := range classes {
		fmt.Fprintf(&b, "%*d", width, i)
	}
	b.WriteString("\n" + strings.Repeat("-", width*classes+1) + "\n")
	for actual, name := range e.Labels {
		for predicted := range classes {
			fmt.Fprintf(&b, "%*d", width, e.Count(actual, predicted))
		}
		fmt.Fprintf(&b, " | %d = %s\n", actual, name)
	}
	b.WriteString("\nConfusion matrix format: Actual (rowClass) predicted as (columnClass) N times")
	return b.String()
}

// ConfusionToString returns Deeplearning4j's other table of the confusion matrix, with the classes' names.
func (e *Evaluation) ConfusionToString() string {
	width := 5
	for _, s := range e.Labels {
		width = max(width, len([]rune(s)))
	}
	width += 5
	var b strings.Builder
	fmt.Fprintf(&b, "   %-*s   ", width, "Predicted:")
	for i := range e.Labels {
		fmt.Fprintf(&b, "%7d", i)
	}
	b.WriteString("\n   Actual:\n")
	for actual, name := range e.Labels {
		fmt.Fprintf(&b, "%-3d%-*s | ", actual, width, name)
		for predicted := range e.Labels {
			fmt.Fprintf(&b, "%7d", e.Count(actual, predicted))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
