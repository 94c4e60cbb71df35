package eval_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/tensor"
)

// TestEvalWithoutArrays: a missing array, or one whose data does not fit its shape, is an *InputError.
func TestEvalWithoutArrays(t *testing.T) {
	whole, short := tensor.New(3, 2), &tensor.Dense{Shape: tensor.Shape{3, 2}, Data: make([]float32, 5)}
	for _, e := range []eval.Evaluator{eval.NewEvaluation(0), eval.NewEvaluationBinary(), eval.NewROC(0),
		eval.NewROCBinary(0),
		eval.NewROCMultiClass(0), eval.NewRegressionEvaluation(), eval.NewEvaluationCalibration()} {
		for _, c := range []struct {
			labels, predictions, mask *tensor.Dense
			want                      string
		}{
			{nil, whole, nil, "there are no labels"},
			{whole, nil, nil, "there are no predictions"},
			{short, whole, nil, "the labels have 5 numbers"},
			{whole, short, nil, "the predictions have 5 numbers"},
			{whole, whole, short, "the mask has 5 numbers"},
		} {
			var input *eval.InputError
			err := e.Eval(c.labels, c.predictions, c.mask)
			if !errors.As(err, &input) || !strings.Contains(input.Reason, c.want) {
				t.Errorf("%T: error %v, wanted %q", e, err, c.want)
			}
		}
	}
	if _, err := eval.Marshal(nil); err == nil {
		t.Error("nil has a JSON")
	}
}
