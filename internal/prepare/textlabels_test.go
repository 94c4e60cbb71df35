package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// labelledTexts writes texts into the lines of three files, and their labels into another one, with more or fewer lines
// than there are texts.
func labelledTexts(t *testing.T, more int) source.Name {
	t.Helper()
	dir, labels := t.TempDir(), filepath.Join(t.TempDir(), "labels.txt")
	var kinds strings.Builder
	row := 0
	for k, n := range []int{13, 0, 40, 27} {
		var text strings.Builder
		for range n {
			row++
			fmt.Fprintf(&text, "text %d is of kind k%d\n", row%7, row%3)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k, ".txt")), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range row + more {
		fmt.Fprintf(&kinds, "k%d\n", (i+1)%3)
	}
	if err := os.WriteFile(labels, []byte(kinds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return source.Name{Kind: "text", Place: dir, Settings: map[string]string{"lines": "true", "labels": labels}}
}

// TestLabelsOnEngines: workers read the labels of their own texts from a separate file. The examples are those of one
// process, for all rows, for some, and for files that are texts themselves.
func TestLabelsOnEngines(t *testing.T) {
	n := labelledTexts(t, 0)
	whole := labelledTexts(t, -76) // 4 labels
	whole.Settings = map[string]string{"labels": whole.Settings["labels"]}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for name, c := range map[string]struct {
		n source.Name
		s Settings
	}{
		"all":        {n, Settings{}},
		"stratified": {n, Settings{Split: Split{Share: 0.7, By: Stratified}, Seed: 4}},
		"files":      {whole, Settings{}},
	} {
		if !source.OneByOne(c.n) {
			t.Errorf("%s: workers do not read %s", name, c.n)
		}
		want, err := Open(t.Context(), c.n, c.s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range engines {
			got, err := OpenOn(t.Context(), e, c.n, c.s, distributed.OpenOptions{})
			if err != nil {
				t.Errorf("%s on %s: %v", name, e.Master(), err)
				continue
			}
			sameResult(t, name+" on "+e.Master(), got, want)
		}
	}
}

// TestBadLabelsOnEngines: too many labels and too few are errors with their place, as in one process.
func TestBadLabelsOnEngines(t *testing.T) {
	e := onEngine(t, "processes[2]")
	for more, want := range map[int]string{
		1:  "labels.txt:81: there are more labels than texts",
		-1: "labels.txt: there is no label for 3.txt:27: there are 79",
	} {
		n := labelledTexts(t, more)
		_, here := Open(t.Context(), n, Settings{})
		_, there := OpenOn(t.Context(), e, n, Settings{}, distributed.OpenOptions{})
		for _, err := range []error{here, there} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d labels more: %v", more, err)
			}
		}
	}
	n := labelledTexts(t, 0)
	n.Place = filepath.Dir(n.Place)
	if _, err := OpenOn(t.Context(), e, n, Settings{}, distributed.OpenOptions{}); err == nil ||
		!strings.Contains(err.Error(), "the folders are the labels") {
		t.Error(err)
	}
}
