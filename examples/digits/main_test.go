package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
)

func TestLearnsToRead(t *testing.T) {
	var out strings.Builder
	path := filepath.Join(t.TempDir(), "digits.zip")
	if err := run(t.Context(), &out, path); err != nil {
		t.Fatal(err)
	}
	var percent float64
	if _, err := fmt.Sscanf(out.String(), "read %f %%", &percent); err != nil || percent < 95 {
		t.Errorf("%q: %v", out.String(), err)
	}
	model, err := dl4go.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	digits, err := model.Read(t.Context(), "digits:test")
	if err != nil {
		t.Fatal(err)
	}
	result, err := model.Evaluate(t.Context(), digits)
	if err != nil || fmt.Sprintf("%.1f", 100*result.Accuracy()) != fmt.Sprintf("%.1f", percent) {
		t.Errorf("the saved model has the accuracy %v, not %v %%: %v", result.Accuracy(), percent, err)
	}
}
