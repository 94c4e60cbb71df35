package livepage

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// saved writes the statistics of a run with one loss.
func saved(t *testing.T, file string, batch string, loss float64) {
	t.Helper()
	r := stats.Run{Title: "Training", Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Settings: map[string]string{"batch": batch}, Series: []stats.Series{{Name: "epochLoss", Iterations: []int{10},
			Since: []time.Duration{1}, Values: []float64{loss}}}}
	if err := r.Export(t.Context(), file); err != nil {
		t.Fatal(err)
	}
}

// TestArchive: the runs of a directory and its subdirectories are listed, shown and compared; other files are not.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	saved(t, filepath.Join(dir, "one.json"), "16", 0.125)
	saved(t, filepath.Join(dir, "more", "two.json"), "32", 0.375)
	outside := filepath.Join(t.TempDir(), "secret.json")
	saved(t, outside, "64", 0.625)
	for name, text := range map[string]string{"other.json": `{"a":1}`, "notes.txt": "text",
		"broken.json": `{"format":"dl4go training statistics","version":2`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, &Archive{Dir: dir})
	get := func(path string, want int, parts ...string) {
		t.Helper()
		w := ask(s, "GET", path, s.guard.watch)
		text := w.Body.String()
		if w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
		for _, p := range parts {
			if rest, not := strings.CutPrefix(p, "!"); strings.Contains(text, rest) == not {
				t.Errorf("%s: %q", path, p)
			}
		}
	}
	get("/", 200, "one.json", "more/two.json", "0.125", "0.375", "2026-01-02 03:04:05",
		"broken.json</th><td", "!other.json",
		"!notes.txt")
	get("/run?run=one.json", 200, "0.125", "!0.375")
	get("/compare?run=one.json&run=more/two.json", 200, "0.125", "0.375", "<td>16</td><td>32</td>")
	get("/compare?run=one.json", 400)
	get("/run", 400)
	for _, name := range []string{"none.json", "broken.json", "other.json", outside, "../" + filepath.Base(outside)} {
		get("/run?run="+url.QueryEscape(name), 404, "!0.625")
	}
	saved(t, filepath.Join(dir, "one.json"), "16", 0.0625) // a new run of the same name
	if err := os.Chtimes(filepath.Join(dir, "one.json"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	get("/", 200, "0.0625", "!0.125")
	if _, err := (&Archive{Dir: filepath.Join(dir, "none")}).Check(t.Context()); err == nil {
		t.Error("a directory that is not there")
	}
}
