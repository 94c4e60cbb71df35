package eval

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

func measured(t *testing.T, e Evaluator) Evaluator {
	t.Helper()
	labels := &tensor.Dense{Shape: tensor.Shape{4, 2}, Data: []float32{1, 0, 0, 1, 1, 0, 0, 1}}
	predictions := &tensor.Dense{Shape: tensor.Shape{4, 2}, Data: []float32{0.9, 0.1, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}}
	if err := e.Eval(labels, predictions, nil); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.json")
	for _, e := range []Evaluator{NewEvaluation(2), NewEvaluationBinary(), NewROC(0), NewROCBinary(10),
		NewROCMultiClass(0), NewRegressionEvaluation(), NewEvaluationCalibration()} {
		measured(t, e)
		if err := Save(t.Context(), path, e); err != nil {
			t.Fatal(err)
		}
		again, err := Load[Evaluator](t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Marshal(again); string(got) != string(want) || err != nil {
			t.Errorf("%T: loaded is %T\n%s, %v\nsaved\n%s", e, again, got, err, want)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.json")
	if _, err := Load[*ROC](t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := Save(t.Context(), path, measured(t, NewROC(10))); err != nil {
		t.Fatal(err)
	}
	if e, err := Load[*Evaluation](t.Context(), path); err == nil || e != nil ||
		!strings.HasSuffix(err.Error(), "e.json holds an evaluation of the kind ROC: Evaluation was asked for") {
		t.Errorf("another kind: %v, %v", e, err)
	}
	if err := os.WriteFile(path, []byte(`{"@class":"org.nd4j.evaluation.classification.Evaluation"`), 0o666); err != nil {
		t.Fatal(err)
	}
	var broken *dl4j.FormatError
	if _, err := Load[*Evaluation](t.Context(), path); !errors.As(err, &broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken file: %v", err)
	}
}
