package eval

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

type own struct{ Evaluator }

type ownEmpty struct{ own }

func (ownEmpty) Empty() bool { return true }

// TestEmpty: an evaluation is empty until something unmasked is counted, also after merging and through files.
func TestEmpty(t *testing.T) {
	labels := tensor.MustOf([]float32{1, 0, 0, 1}, 2, 2)
	predictions := tensor.MustOf([]float32{0.7, 0.3, 0.6, 0.4}, 2, 2)
	none, second := tensor.New(2), tensor.MustOf([]float32{0, 1}, 2)
	for _, e := range []Evaluator{NewEvaluation(0), NewEvaluationBinary(), NewROC(0), NewROC(5), NewROCBinary(0),
		NewROCBinary(5), NewROCMultiClass(0),
		NewRegressionEvaluation(), NewEvaluationCalibration()} {
		masked := e.New()
		if err := masked.Eval(labels, predictions, none); err != nil {
			t.Fatal(err)
		}
		both := masked.New()
		if err := both.Merge(masked); err != nil {
			t.Fatal(err)
		}
		for _, x := range []Evaluator{e, masked, both} {
			if err := CheckCounted(x); !Empty(x) || err == nil || !strings.Contains(err.Error(), "counts nothing") {
				t.Errorf("%T without an example: %t, %v", x, Empty(x), err)
			}
		}
		if err := both.Eval(labels, predictions, second); err != nil {
			t.Fatal(err)
		}
		if err := CheckCounted(both); Empty(both) || err != nil {
			t.Errorf("%T of an example: %v", e, err)
		}
		err := CheckCounted(both, masked)
		if err == nil || !strings.Contains(err.Error(), "evaluation 1 (") {
			t.Errorf("%T as the second: %v", e, err)
		}
	}
	if err := CheckCounted(own{}); err != nil {
		t.Errorf("an evaluation that does not say: %v", err)
	}
	if err := CheckCounted(ownEmpty{}); err == nil || !strings.Contains(err.Error(), "(ownEmpty)") {
		t.Errorf("one that says: %v", err)
	}
}
