package eval

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// A result of Unmarshal must be usable: it prints, merges with itself, and its JSON reads back the same.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range [][2]string{{"multiclass3", "Evaluation.json"}, {"binary-single", "Evaluation_threshold0.3.json"},
		{"regression", "RegressionEvaluation.json"}} {
		o := &oracle{dir: "testdata/" + c[0]}
		f.Add([]byte(o.read(f, c[1])))
	}
	for _, c := range edges(f) {
		f.Add([]byte(c.JSON))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := Unmarshal(text)
		if err != nil {
			var bad *dl4j.FormatError
			if !errors.As(err, &bad) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		once, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unmarshal(once)
		if err != nil {
			t.Fatalf("%v of %s", err, once)
		}
		if twice, err := Marshal(again); err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
		if again.Stats() != e.Stats() {
			t.Fatalf("%s became %s", e.Stats(), again.Stats())
		}
		summaries := slices.ContainsFunc(rocsOf(e), (*ROC).summary)
		if err := e.Merge(again); (err != nil) != summaries {
			t.Fatalf("merged with itself: %v", err)
		}
		Metrics(e)
		if err := WriteHTML(io.Discard, "", e); err != nil {
			t.Fatal(err)
		}
	})
}

// Anything that Decode accepts encodes back to an equivalent evaluation.
func FuzzDecode(f *testing.F) {
	for _, c := range edges(f) {
		if e, err := Unmarshal([]byte(c.JSON)); err == nil && c.Shape != nil {
			e = e.New()
			labels, predictions, mask := c.arrays()
			if err := e.Eval(labels, predictions, mask); err != nil {
				f.Fatal(err)
			}
			b, err := Encode(e)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Decode(b)
		if err != nil {
			return
		}
		once, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := Encode(again); err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
		e.Stats()
	})
}
