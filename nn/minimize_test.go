package nn

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMinimizeFalse: a configuration with the setting that Deeplearning4j ignores opens with a notice, and is
// written without it.
func TestMinimizeFalse(t *testing.T) {
	for _, name := range []string{"mlp-sgd", "graph-two-outputs"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "oracle", "nets", name, "conf.json"))
		if err != nil {
			t.Fatal(err)
		}
		off := bytes.ReplaceAll(text, []byte(`"minimize" : true`), []byte(`"minimize" : false`))
		if bytes.Equal(off, text) {
			t.Fatalf("%s has no minimize", name)
		}
		net, err := Replica(off)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := net.Notices(); len(n) != 1 || !strings.Contains(n[0], "minimize is false") {
			t.Errorf("%s: notices %q", name, n)
		}
		if again, err := net.Configuration(); err != nil || bytes.Contains(again, []byte(`"minimize" : false`)) {
			t.Errorf("%s: it is written again, or %v", name, err)
		}
	}
}
