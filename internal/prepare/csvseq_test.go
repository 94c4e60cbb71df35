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

// sequenceFiles writes CSV files of sequences, with their labels in files of their own: one for each step, one for the
// sequence with and without a header, or fewer than steps. The columns of some files are in another order.
func sequenceFiles(t *testing.T, labels, align string) source.Name {
	t.Helper()
	dir := t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		x, y := "a,b,site\n", "kind\n"
		if i%3 == 1 {
			x = "site,a,b\n"
		}
		if labels == "one" {
			y = ""
		}
		for k := range 3 + i%4 {
			row := fmt.Sprintf("%d.5,%d,s%d\n", i*k%7, i+k, (i+k)%3)
			if i%3 == 1 {
				row = fmt.Sprintf("s%d,%d.5,%d\n", (i+k)%3, i*k%7, i+k)
			}
			x += row
			if labels == "steps" || k == 0 {
				y += []string{"up", "down"}[(i+k*(i%2))%2] + "\n"
			}
		}
		write(filepath.Join(dir, "x", fmt.Sprintf("%02d.csv", i)), x)
		write(filepath.Join(dir, "y", fmt.Sprintf("%02d.txt", i)), y)
	}
	n := source.Name{Kind: "csvseq", Place: filepath.Join(dir, "x"),
		Settings: map[string]string{"labels": filepath.Join(dir, "y")}}
	if align != "" {
		n.Settings["align"] = align
	}
	return n
}

// TestSequenceFilesOnEngines: workers read sequences in files, with labels in files of their own or in theirs, and make
// the same examples as this process, under the names of the files.
func TestSequenceFilesOnEngines(t *testing.T) {
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	within := sequenceFiles(t, "steps", "")
	within.Settings = map[string]string{"label": "site"}
	for name, n := range map[string]source.Name{
		"steps": sequenceFiles(t, "steps", ""), "one": sequenceFiles(t, "one", ""), "headed": sequenceFiles(t, "headed", ""),
		"at the end": sequenceFiles(t, "headed", "end"), "at the start": sequenceFiles(t, "one", "start"), "within": within,
	} {
		for _, s := range []Settings{{}, {Split: Split{Share: 0.7}}} {
			want, err := Open(t.Context(), n, s)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, e := range engines {
				if !distributed.WorkersReadRaw(e, n) {
					t.Fatalf("%s: workers of %s do not read it", name, e.Master())
				}
				got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
				if err != nil {
					t.Fatalf("%s %+v on %s: %v", name, s.Split, e.Master(), err)
				}
				sameResult(t, name+" on "+e.Master(), got, want)
			}
		}
	}
	for labels, there := range map[string]bool{"y": false, "hdfs://host/y": true} {
		n := source.Name{Kind: "csvseq", Place: "hdfs://host/x", Settings: map[string]string{"labels": labels}}
		if distributed.RawByWorkers(n) != there {
			t.Errorf("%v: read by workers of a cluster is not %v", n, there)
		}
	}
}

// TestSequenceFilesAmiss: files without labels, labels without files, and labels that are more than the steps are the
// same errors on workers as in this process.
func TestSequenceFilesAmiss(t *testing.T) {
	e := onEngine(t, "local[2]")
	for want, harm := range map[string]func(dir string) error{
		"07.csv: there is no file of this name in labels=": func(dir string) error {
			return os.Remove(filepath.Join(dir, "y", "07.txt"))
		},
		"07.txt: there are labels, and no file of this name": func(dir string) error {
			return os.Remove(filepath.Join(dir, "x", "07.csv"))
		},
		"07.txt: there are 9 labels, and 6 steps in ": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "y", "07.txt"), []byte("kind\n"+strings.Repeat("up\n", 9)), 0o600)
		},
		"07.csv: there ": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "x", "07.csv"), []byte("a,b\n1,2\n1,2\n1,2\n1,2\n1,2\n"), 0o600)
		},
	} {
		n := sequenceFiles(t, "steps", "")
		if err := harm(filepath.Dir(n.Place)); err != nil {
			t.Fatal(err)
		}
		_, here := Open(t.Context(), n, Settings{})
		_, there := OpenOn(t.Context(), e, n, Settings{}, distributed.OpenOptions{})
		for _, err := range []error{here, there} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, wanted %s", err, want)
			}
		}
	}
}
