package source

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWeightColumn: a column of weights is neither a feature nor a label, in tables and streams, with and without a
// pipeline. Predictions need none.
func TestWeightColumn(t *testing.T) {
	const text = "b,w,kind,a\n1,0.5,x,0.5\n2,2,y,1\n3,0,y,1.5\n"
	lines := filepath.Join(t.TempDir(), "t.jsonl")
	rows := `{"b":1,"w":0.5,"kind":"x","a":0.5}` + "\n" +
		`{"b":2,"w":2,"kind":"y","a":1}` + "\n" + `{"b":3,"w":0,"kind":"y","a":1.5}` + "\n"
	if err := os.WriteFile(lines, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := csvName(t, text)
	settings := map[string]string{"label": "kind", "names": "x,y", "weights": "w"}
	csv.Settings = settings
	of := []Name{csv, {Kind: "jsonl", Place: lines, Settings: settings}}
	for _, n := range of {
		for _, o := range []Options{{}, {Preparation: preparation()}} {
			s, err := OpenName(context.Background(), n, o)
			if err != nil {
				t.Fatal(err)
			}
			m := s.(Table).Range(0, 3)
			if !s.Info().Weighted || !slices.Equal(m.Weights.Data, []float32{0.5, 2, 0}) ||
				m.Features[0].Shape[1] != 2 {
				t.Errorf("%s: weights %v, features %v", n.Kind, m.Weights, m.Features[0].Shape)
			}
			if picked := s.(Table).Examples([]int{2, 1}); !slices.Equal(picked.Weights.Data, []float32{0, 2}) {
				t.Errorf("%s: some examples have %v", n.Kind, picked.Weights)
			}
			stream, err := OpenStream(context.Background(), n, o)
			if err != nil {
				t.Fatal(err)
			}
			var all []float32
			for {
				m, err := stream.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, m.Weights.Data...)
			}
			if stream.Close(); !slices.Equal(all, []float32{0.5, 2, 0}) {
				t.Errorf("%s: the stream has %v", n.Kind, all)
			}
		}
	}
	without := csvName(t, "b,kind,a\n1,x,0.5\n")
	without.Settings = settings
	if x, _, _ := examplesOfStream(t, without, Options{Preparation: preparation(), Unlabelled: true}); len(x) != 2 {
		t.Errorf("predictions without a weight: %v", x)
	}
	for text, want := range map[string]string{
		"b,w,kind,a\n1,,x,1\n":    `t.csv:2:3: column "w": the weight is missing`,
		"b,w,kind,a\n1,NaN,x,1\n": `t.csv:2:3: column "w": "NaN" is not a weight`,
		"b,kind,a\n1,x,1\n":       `there is no weight column "w"`,
	} {
		n := csvName(t, text)
		n.Settings = settings
		if _, err := OpenName(context.Background(), n, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
