package results

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// written writes three examples' outputs to a Parquet file, and reads its rows.
func written(t *testing.T, w *Predictions, keys ...string) (names, rows []string) {
	t.Helper()
	y := tensor.MustOf([]float32{0.25, 0.75}, 1, 2)
	return writtenOf(t, w, keys, y, y, tensor.MustOf([]float32{1, 0}, 1, 2))
}

// writtenOf writes outputs to a Parquet file, and reads its rows.
func writtenOf(t *testing.T, w *Predictions, keys []string, outputs ...*tensor.Dense) (names, rows []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.parquet")
	file, err := storage.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w.each = []*predictionFile{{path: path, file: file}}
	defer w.Close()
	for i, y := range outputs {
		if err := w.Write(keys[i], []*tensor.Dense{y}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	k, _ := source.KindOf("parquet")
	n, err := source.Parse("parquet:" + path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.(source.Tabular).Rows(t.Context(), n, source.RowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		item, err := r.Next()
		if err == io.EOF {
			return r.Schema().Names(), rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Trim(fmt.Sprint(item.Row), "[]"))
	}
}

// TestParquet: there is a column for each key and name, or the class and a list of numbers.
func TestParquet(t *testing.T) {
	none := []string{"", "", ""}
	two := source.Answer{Task: source.Classification, Classes: []string{"cat", "dog"}}
	for name, c := range map[string]struct {
		w           *Predictions
		keys        []string
		names, rows []string
	}{
		"plain": {&Predictions{names: []string{""}, class: true}, none, []string{"class", "prediction"}, nil},
		"classes": {&Predictions{names: []string{""}, answer: &two}, none,
			[]string{"prediction", "probability_cat", "probability_dog"},
			[]string{"dog 0.25 0.75", "dog 0.25 0.75", "cat 1.0 0.0"}},
		"numbers with keys": {&Predictions{names: []string{""}, keys: []string{"a", "b"},
			answer: &source.Answer{Task: source.Regression, Labels: []string{"x", "y"}}},
			[]string{`1,"u,v"`, "2,w", "3,"}, []string{"a", "b", "x", "y"},
			[]string{"1 u,v 0.25 0.75", "2 w 0.25 0.75", "3  1.0 0.0"}},
		"several": {&Predictions{names: []string{""},
			answer: &source.Answer{Task: source.MultiLabel, Labels: []string{"x", "y"}}}, none,
			[]string{"x", "y", "probability_x", "probability_y"},
			[]string{"0.0 1.0 0.25 0.75", "0.0 1.0 0.25 0.75", "1.0 0.0 1.0 0.0"}},
	} {
		names, rows := written(t, c.w, c.keys...)
		if !slices.Equal(names, c.names) || c.rows != nil && !slices.Equal(rows, c.rows) {
			t.Errorf("%s: columns %q, rows %q", name, names, rows)
		}
	}
	steps := &Predictions{names: []string{""}, answer: &source.Answer{Task: source.Classification,
		Classes: []string{"cat", "dog"}, PerStep: true}}
	names, rows := writtenOf(t, steps, []string{"s", "u"}, tensor.MustOf([]float32{1, 0, 0, 1}, 1, 2, 2),
		tensor.MustOf([]float32{0.25, 0.75}, 1, 2, 1))
	if want := []string{"s 1 cat 1.0 0.0", "s 2 dog 0.0 1.0", "u 1 dog 0.25 0.75"}; !slices.Equal(rows, want) ||
		!slices.Equal(names, []string{"key", "step", "prediction", "probability_cat", "probability_dog"}) {
		t.Errorf("steps: columns %q, rows %q", names, rows)
	}
	w := &Predictions{names: []string{""}, keys: []string{"prediction"}, answer: &two,
		each: []*predictionFile{{path: "x.parquet"}}}
	err := w.Write("k", []*tensor.Dense{tensor.New(1, 2)})
	if err == nil || !strings.Contains(err.Error(), `two columns would be named "prediction"`) {
		t.Error(err)
	}
	w = &Predictions{names: []string{""}, answer: &two, each: []*predictionFile{{path: "x.csv"}}}
	err = w.Write("", []*tensor.Dense{tensor.New(1, 3)})
	if err == nil || !strings.Contains(err.Error(), "the network has 3 outputs; the model's labels are 2") {
		t.Error(err)
	}
}
