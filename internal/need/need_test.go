package need

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outcome is a test that records how it ended.
type outcome struct {
	testing.TB
	skipped, failed bool
}

func (o *outcome) Helper()               {}
func (o *outcome) Name() string          { return "TestOfADisk" }
func (o *outcome) Skipf(string, ...any)  { o.skipped = true; panic(o) }
func (o *outcome) Fatalf(string, ...any) { o.failed = true; panic(o) }

// TestWhatIsLacking: what is missing is reported, and skips the test, or fails it with CI=true.
func TestWhatIsLacking(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	t.Setenv(ListVariable, list)
	for ci, want := range map[string]outcome{"": {skipped: true}, "true": {failed: true}} {
		t.Setenv("CI", ci)
		o := &outcome{}
		func() {
			defer func() { recover() }()
			From(o, errors.New("no disk"), "install a disk")
		}()
		if *o != want {
			t.Errorf("with CI=%q: %+v", ci, *o)
		}
		From(o, nil, "nothing")
	}
	b, err := os.ReadFile(list)
	if text := string(b); err != nil || strings.Count(text, "\n") != 1 ||
		!strings.Contains(text, "TestOfADisk (install a disk)") {
		t.Errorf("the list is %q, %v", text, err)
	}
}
