package eval

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// oracle is a case that Deeplearning4j evaluated.
type oracle struct {
	dir                       string
	labels, predictions, mask *tensor.Dense
	metrics                   map[string]map[string]any
}

func load(t *testing.T, name string) *oracle {
	t.Helper()
	o := &oracle{dir: filepath.Join("testdata", name)}
	var manifest struct {
		Files map[string]struct {
			File  string
			Shape []int
		}
	}
	for file, v := range map[string]any{"manifest.json": &manifest, "metrics.json": &o.metrics} {
		if err := json.Unmarshal([]byte(o.read(t, file)), v); err != nil {
			t.Fatal(err)
		}
	}
	for array, to := range map[string]**tensor.Dense{"labels": &o.labels, "predictions": &o.predictions, "mask": &o.mask} {
		f, ok := manifest.Files[array]
		if !ok {
			continue
		}
		raw := []byte(o.read(t, f.File))
		d := tensor.New(f.Shape...)
		for i := range d.Data {
			d.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		*to = d
	}
	return o
}

func (o *oracle) read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(o.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// compare compares a figure, or a list of one per class, with Deeplearning4j's.
func (o *oracle) compare(t *testing.T, evaluation, name string, got ...float64) {
	t.Helper()
	want, ok := o.metrics[evaluation][name]
	if !ok {
		t.Errorf("%s: there is no %s of %s", o.dir, name, evaluation)
		return
	}
	list, isList := want.([]any)
	if !isList {
		list = []any{want}
	}
	if len(list) != len(got) {
		t.Errorf("%s: %s has %d values, want %d", o.dir, name, len(got), len(list))
		return
	}
	for i, w := range list {
		if !near.Equal(got[i], w.(float64), 1e-6, 0) {
			t.Errorf("%s: %s %d is %.9g, want %.9g", o.dir, name, i, got[i], w)
		}
	}
}

// withoutPadding returns Deeplearning4j's JSON without the zeros that follow the confusion matrix's entries.
func withoutPadding(t *testing.T, text string) string {
	t.Helper()
	tree, err := dl4j.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	confusion, _ := tree.(dl4j.Object).Get("confusion")
	matrix, _ := confusion.(dl4j.Object).Get("matrix")
	for _, row := range matrix.(dl4j.Object) {
		pair := row.Value.([]any)
		counts := pair[1].([]any)
		n := 0
		for n < len(counts) && counts[n] != dl4j.Number("0") {
			n++
		}
		pair[0], pair[1] = pair[0].([]any)[:n], counts[:n]
	}
	b, err := dl4j.Format(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
