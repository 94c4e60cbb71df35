package nn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// yamlCases are the YAMLs of the real Deeplearning4j, of type DOUBLE.
func yamlCases(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "oracle", "saved", "*", "*", "conf.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no YAMLs: %v", err)
	}
	return files
}

func TestYAMLOfTheRealDeeplearning4jIsWrittenBackToTheByte(t *testing.T) {
	for _, f := range yamlCases(t) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		net, err := Replica(text)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		defer net.Close()
		if n := net.Notices(); len(n) != 1 || !strings.Contains(n[0], "DOUBLE") {
			t.Errorf("%s: notices %q", f, n)
		}
		var got []byte
		if net.isGraph() {
			var c GraphConfiguration
			if c, err = LoadGraphConfiguration(text); err == nil {
				got, err = c.YAML()
			}
		} else {
			var c Configuration
			if c, err = LoadConfiguration(text); err == nil {
				got, err = c.YAML()
			}
		}
		want := counts(strings.ReplaceAll(string(text), `"DOUBLE"`, `"FLOAT"`))
		if err != nil || string(got) != want {
			t.Errorf("%s became\n%s(%v)", f, got, err)
		}
	}
}

// counts sets the iterations done to 0, since a configuration alone has no such count.
func counts(yaml string) string {
	lines := strings.Split(yaml, "\n")
	for i, l := range lines {
		if name, _, ok := strings.Cut(l, ": "); ok &&
			(strings.HasSuffix(name, "iterationCount") || strings.HasSuffix(name, "epochCount")) {
			lines[i] = name + ": 0"
		}
	}
	return strings.Join(lines, "\n")
}

func TestYAMLErrors(t *testing.T) {
	b, err := os.ReadFile(yamlCases(t)[1])
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, c := range []struct{ old, new, want string }{
		{"conf.layers.DenseLayer", "conf.layers.NoLayer", "NoLayer"},
		{"biasInit:", "biasInits:", "biasInits"},
		{`"layer0"`, "!<org.deeplearning4j.nn.conf.layers.DenseLayer> x", "not an object"},
		{"confs:", "*confs:", "YAML"},
		{"backpropType:", "seed: 1\nseed: 2\nbackpropType:", "twice"},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("no %s in the YAML", c.old)
		}
		_, err := Replica([]byte(strings.Replace(text, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v", c.new, c.old, err)
		}
	}
	if _, err := Replica([]byte(strings.Repeat("#", maxYAML+1))); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a YAML of %d bytes: %v", maxYAML+1, err)
	}
}
