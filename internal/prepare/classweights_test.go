package prepare

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
)

// TestClassWeights: the forms of a file are equivalent, and errors name the line.
func TestClassWeights(t *testing.T) {
	info := source.Info{Classes: 3, LabelNames: []string{"cat", "dog", "3"}}
	read := func(name, text string) ([]float64, error) {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadClassWeights(context.Background(), path, info)
	}
	for name, text := range map[string]string{
		"w.json": `{"dog": 2.5, "3": 0, "cat": 1}`,
		"w.yaml": "dog: 2.5\n3: 0\ncat: 1\n",
		"w.csv":  "class,weight\ndog,2.5\n3,0\ncat,1\n",
		"w":      "dog,2.5\n3.0,0\ncat,1\n",
	} {
		if got, err := read(name, text); err != nil || !slices.Equal(got, []float64{1, 2.5, 0}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, c := range [][3]string{
		{"w.csv", "dog,1\ncow,2\n", `w.csv: line 2, there is no class "cow": there are cat, dog, 3`},
		{"w.csv", "dog,1\ncat,2\n", `there is no weight of the class 3`},
		{"w.csv", "dog,1\ndog,2\n", `line 2, the class "dog" is there twice`},
		{"w.csv", "dog,1\ncat,-2\n", `line 2, class "cat": "-2" is not a weight`},
		{"w.csv", "dog\n", `wrong number of fields`},
		{"w.csv", "", `there is no weight of the class cat, dog, 3`},
		{"w.json", `{"dog": "NaN"}`, `class "dog": "NaN" is not a weight`},
		{"w.json", `{"dog": 1`, `the object has no end`},
		{"w.json", `[1, 2]`, `it is not an object of classes and weights`},
		{"w.yaml", "- 1\n", `it has no lines of a class and its weight`},
		{"w.yaml", "dog: 1\ncat: {a: 2}\n", `line 2, class "cat": "" is not a weight`},
	} {
		if got, err := read(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s, %q: %v, error %v, want %q", c[0], c[1], got, err, c[2])
		}
	}
}
