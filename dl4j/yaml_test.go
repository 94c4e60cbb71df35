package dl4j

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestYAMLOfTheRealDeeplearning4jIsWrittenBackToTheByte(t *testing.T) {
	files, err := filepath.Glob("testdata/yaml/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := ParseYAML(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		got, err := FormatYAML(nansAsNumbers(tree))
		if err != nil || string(got) != string(text) {
			t.Errorf("%s became\n%s(%v)", f, got, err)
		}
	}
}

// nansAsNumbers turns "NaN" into floats: in a tree that was read it is a string.
func nansAsNumbers(tree any) any {
	switch v := tree.(type) {
	case Object:
		for i := range v {
			v[i].Value = nansAsNumbers(v[i].Value)
		}
	case string:
		if v == "NaN" {
			return math.NaN()
		}
	}
	return tree
}

func TestYAMLLists(t *testing.T) {
	tree := Object{{"a", []any{1, Object{{"x", "y"}, {"z", true}}, []any{}}}, {"b", Object{{"c", []any{0.5}}}}}
	const want = "---\na:\n- 1\n- x: \"y\"\n  z: true\n- []\nb:\n  c:\n  - 0.5\n"
	got, err := FormatYAML(tree)
	if err != nil || string(got) != want {
		t.Fatalf("wrote %q (%v), want %q", got, err, want)
	}
	back, err := ParseYAML(string(got))
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := FormatYAML(back); string(again) != want {
		t.Errorf("read back as %q", again)
	}
}

func TestWrongYAML(t *testing.T) {
	for _, text := range []string{"", "a: [", "a: &x 1\nb: *x", "a: 1\na: 2"} {
		_, err := ParseYAML(text)
		var f *FormatError
		if !errors.As(err, &f) {
			t.Errorf("%q gave %v, wanted a FormatError", text, err)
		}
	}
}
