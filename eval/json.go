package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
)

func init() {
	Classes.Register("org.nd4j.evaluation.classification.Evaluation", func() Evaluator { return NewEvaluation(0) })
	Classes.Alias("org.deeplearning4j.eval.Evaluation", "org.nd4j.evaluation.classification.Evaluation")
}

// MarshalTree returns the members in Deeplearning4j's order.
func (e *Evaluation) MarshalTree() (any, error) {
	labels := make([]any, len(e.Labels))
	for i, s := range e.Labels {
		labels[i] = s
	}
	t := e.tallies()
	return dl4j.Object{
		{Name: "axis", Value: e.Axis},
		{Name: "binaryPositiveClass", Value: optional(e.BinaryPositiveClass)},
		{Name: "topN", Value: max(e.TopN, 1)},
		{Name: "topNCorrectCount", Value: e.topNCorrect},
		{Name: "topNTotalCount", Value: e.topNExamples},
		{Name: "truePositives", Value: counter(t, func(t tally) int64 { return t.tp }, e.single)},
		{Name: "falsePositives", Value: counter(t, func(t tally) int64 { return t.fp }, e.single)},
		{Name: "trueNegatives", Value: counter(t, func(t tally) int64 { return t.tn }, e.single)},
		{Name: "falseNegatives", Value: counter(t, func(t tally) int64 { return t.fn }, e.single)},
		{Name: "confusion", Value: e.confusionTree()},
		{Name: "numRowCounter", Value: e.rows},
		{Name: "labelsList", Value: labels},
		{Name: "binaryDecisionThreshold", Value: optional(e.BinaryDecisionThreshold)},
		{Name: "costArray", Value: costTree(e.CostArray)},
		{Name: "maxWarningClassesToPrint", Value: e.MaxWarningClassesToPrint},
	}, nil
}

func optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// counter returns Deeplearning4j's Counter: the classes with a count (or all of them, if a single column was counted),
// and their sum.
func counter(t []tally, of func(tally) int64, all bool) dl4j.Object {
	entries, total := dl4j.Object{}, int64(0)
	for class, t := range t {
		if n := of(t); n > 0 || all {
			entries = append(entries, dl4j.Member{Name: strconv.Itoa(class), Value: float64(n)})
			total += n
		}
	}
	return dl4j.Object{
		{Name: "map", Value: entries},
		{Name: "totalCount", Value: float64(total)},
		{Name: "dirty", Value: false},
		{Name: "empty", Value: len(entries) == 0},
	}
}

// confusionTree returns, for each actual class with examples (or for all, if a single column was counted), the
// predicted classes and how often each was predicted. Deeplearning4j differs: it pads both arrays with zeros to the
// number of the class's examples, and ignores the padding.
func (e *Evaluation) confusionTree() any {
	if len(e.Labels) == 0 {
		return nil
	}
	classes := make([]any, len(e.Labels))
	for i := range classes {
		classes[i] = i
	}
	matrix := dl4j.Object{}
	cells := e.cells()
	for actual := range e.Labels {
		n := slices.IndexFunc(cells, func(c cell) bool { return c.actual != actual })
		if n < 0 {
			n = len(cells)
		}
		if n == 0 && !e.single {
			continue
		}
		predicted, counts := make([]any, n), make([]any, n)
		for i, c := range cells[:n] {
			predicted[i], counts[i] = c.predicted, e.counts[c]
		}
		matrix = append(matrix, dl4j.Member{Name: strconv.Itoa(actual), Value: []any{predicted, counts}})
		cells = cells[n:]
	}
	return dl4j.Object{{Name: "classes", Value: classes}, {Name: "matrix", Value: matrix}}
}

func costTree(cost []float32) any {
	if cost == nil {
		return nil
	}
	data := make([]any, len(cost))
	for i, x := range cost {
		data[i] = x
	}
	return dl4j.Object{
		{Name: "dataType", Value: "FLOAT"},
		{Name: "shape", Value: []any{len(cost)}},
		{Name: "data", Value: data},
	}
}

// maxCount limits counts, so that their sums are exact as doubles in files.
const maxCount = 1 << 40

// evaluationFile has the members of the JSON that are read.
type evaluationFile struct {
	Axis                int                 `dl4j:"axis"`
	BinaryPositiveClass *int                `dl4j:"binaryPositiveClass"`
	TopN                int                 `dl4j:"topN"`
	TopNCorrect         int64               `dl4j:"topNCorrectCount"`
	TopNTotal           int64               `dl4j:"topNTotalCount"`
	TruePositives       counterFile         `dl4j:"truePositives"`
	FalsePositives      counterFile         `dl4j:"falsePositives"`
	TrueNegatives       counterFile         `dl4j:"trueNegatives"`
	FalseNegatives      counterFile         `dl4j:"falseNegatives"`
	Confusion           *confusionFile      `dl4j:"confusion"`
	Rows                int64               `dl4j:"numRowCounter"`
	Labels              []string            `dl4j:"labelsList"`
	Threshold           *float64            `dl4j:"binaryDecisionThreshold"`
	Cost                *arrayFile[float32] `dl4j:"costArray"`
	MaxWarningClasses   int                 `dl4j:"maxWarningClassesToPrint"`
}

type counterFile struct {
	Map   map[string]float64 `dl4j:"map"`
	Total float64            `dl4j:"totalCount"`
	Dirty bool               `dl4j:"dirty"`
	Empty bool               `dl4j:"empty"`
}

type confusionFile struct {
	Classes []int                 `dl4j:"classes"`
	Matrix  map[string][2][]int64 `dl4j:"matrix"`
}

// arrayFile is an array in the form of Deeplearning4j's text serializer.
type arrayFile[T float32 | float64] struct {
	DataType string `dl4j:"dataType"`
	Shape    []int  `dl4j:"shape"`
	Data     []T    `dl4j:"data"`
}

// UnmarshalTree reads the members. Counts that contradict each other are an error.
func (e *Evaluation) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := evaluationFile{Axis: e.Axis, BinaryPositiveClass: e.BinaryPositiveClass, TopN: e.TopN,
		MaxWarningClasses: e.MaxWarningClassesToPrint}
	if err := dl4j.FromTree(o.Without("@class"), &f); err != nil {
		return err
	}
	n := &Evaluation{Labels: f.Labels, TopN: f.TopN, Axis: f.Axis, BinaryPositiveClass: f.BinaryPositiveClass,
		BinaryDecisionThreshold: f.Threshold, MaxWarningClassesToPrint: f.MaxWarningClasses, counts: map[cell]int64{},
		rows: f.Rows, topNCorrect: f.TopNCorrect, topNExamples: f.TopNTotal}
	if f.Cost != nil {
		n.CostArray = f.Cost.Data
	}
	for _, c := range []counterFile{f.TruePositives, f.FalsePositives, f.TrueNegatives, f.FalseNegatives} {
		for _, count := range c.Map {
			n.single = n.single || count == 0
		}
	}
	if reason := n.invalid(); reason != "" {
		return errors.New(reason)
	}
	if f.Confusion != nil {
		if err := n.readConfusion(f.Confusion); err != nil {
			return err
		}
	}
	if err := n.consistent(&f); err != nil {
		return err
	}
	*e = *n
	return nil
}

func (e *Evaluation) readConfusion(f *confusionFile) error {
	if len(e.Labels) == 0 {
		e.Labels = defaultLabels(len(f.Classes))
	}
	if len(e.Labels) != len(f.Classes) {
		return fmt.Errorf("%d labels for %d classes", len(e.Labels), len(f.Classes))
	}
	for name, row := range f.Matrix {
		actual, err := strconv.Atoi(name)
		if err != nil || actual < 0 || actual >= len(e.Labels) {
			return fmt.Errorf("the confusion matrix has the class %q of %d", name, len(e.Labels))
		}
		if len(row[0]) != len(row[1]) {
			return fmt.Errorf("the confusion matrix has %d predictions and %d counts for class %d", len(row[0]),
				len(row[1]), actual)
		}
		for i, count := range row[1] {
			predicted := row[0][i]
			if count < 0 || count > maxCount || predicted < 0 || predicted >= int64(len(e.Labels)) {
				return fmt.Errorf("the confusion matrix has the class %d of %d %d times", predicted, len(e.Labels), count)
			}
			if count > 0 {
				e.counts[cell{actual, int(predicted)}] += count
			}
		}
	}
	return nil
}

// consistent compares figures that the file states more than once.
func (e *Evaluation) consistent(f *evaluationFile) error {
	sum := int64(0)
	for _, n := range e.counts {
		sum = min(sum+n, maxCount)
	}
	if sum != e.rows || e.topNCorrect < 0 || e.topNCorrect > e.topNExamples {
		return fmt.Errorf("the confusion matrix counts %d examples of %d, the top-N figures %d of %d", sum, e.rows,
			e.topNCorrect, e.topNExamples)
	}
	for class, t := range e.tallies() {
		name := strconv.Itoa(class)
		got := [4]float64{f.TruePositives.Map[name], f.FalsePositives.Map[name], f.TrueNegatives.Map[name],
			f.FalseNegatives.Map[name]}
		if want := [4]float64{float64(t.tp), float64(t.fp), float64(t.tn), float64(t.fn)}; got != want {
			return fmt.Errorf("the counters of class %d, %v, contradict the confusion matrix, %v", class, got, want)
		}
	}
	return nil
}
