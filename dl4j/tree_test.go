package dl4j

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// configurations returns configurations that Deeplearning4j wrote for some hundred networks and for its training
// masters.
func configurations(t testing.TB) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader("testdata/configurations.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if texts[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

func TestConfigurationsAreWrittenAsRead(t *testing.T) {
	texts := configurations(t)
	if len(texts) < 100 {
		t.Fatalf("only %d configurations", len(texts))
	}
	for name, text := range texts {
		tree, err := Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := Format(tree)
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: written differently (%v)", name, err)
		}
		// The same holds if the numbers are parsed.
		if again, err = Format(retyped(tree)); err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: numbers are written differently (%v)", name, err)
		}
	}
}

// retyped parses the tree's numbers: those with a point as float64, the others as int64.
func retyped(tree any) any {
	switch v := tree.(type) {
	case Number:
		if strings.ContainsAny(string(v), ".E") {
			x, _ := parseDouble(string(v), 64)
			return x
		}
		var n int64
		FromTree(v, &n)
		return n
	case []any:
		for i := range v {
			v[i] = retyped(v[i])
		}
	case Object:
		for i := range v {
			v[i].Value = retyped(v[i].Value)
		}
	}
	return tree
}

func TestDoublesAsJavaPrintsThem(t *testing.T) {
	for want, x := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "0.01": 0.01, "0.001": 0.001, "9.99E-4": 0.000999,
		"1.0E-8": 1e-8, "1.0E10": 1e10, "1.0E7": 1e7, "9999999.0": 9999999, "1.234567891E7": 12345678.91,
		"-2.5E-5": -2.5e-5, "1.7976931348623157E308": math.MaxFloat64,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "0.9659363289248456": 0.9659363289248456,
	} {
		if got := FormatDouble(x); got != want {
			t.Errorf("%v is printed %s, not %s", x, got, want)
		}
	}
	if got := FormatFloat(0.1); got != "0.1" {
		t.Errorf("the float 0.1 is printed %s", got)
	}
}

func TestStringsAreEscapedAsJacksonDoes(t *testing.T) {
	text := `"a\"b\\c/d\n\t\u001Fé😀"`
	tree, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if tree != "a\"b\\c/d\n\t\x1fé😀" {
		t.Errorf("read as %q", tree)
	}
	if again, _ := Format(tree); string(again) != text {
		t.Errorf("written as %s", again)
	}
	if tree, err = Parse(`"\uD83D\uDE00\/"`); err != nil || tree != "😀/" {
		t.Errorf("surrogates are read as %q, %v", tree, err)
	}
}

func TestBadJSONNamesTheByte(t *testing.T) {
	for text, offset := range map[string]int64{
		``: 0, `{`: 1, `{"a" 1}`: 5, `{"a":1,"a":2}`: 7, `[1 2]`: 3, `[01]`: 2, `-`: 1, `1.`: 2, `tru`: 0,
		`"abc`: 4, `[1] x`: 4,
		"\"\x01\"": 1, `"\q"`: 3, "\"\\u00\x101\"": 3, "\"\xff\"": 1, strings.Repeat("[", 300): 201,
	} {
		_, err := Parse(text)
		var f *FormatError
		if !errors.As(err, &f) {
			t.Errorf("%q is read without a FormatError: %v", text, err)
		} else if f.Offset != offset {
			t.Errorf("%q: the error is at %d, not %d: %v", text, f.Offset, offset, err)
		}
	}
	if _, err := Parse("[" + strings.Repeat("1,", 600_000) + "1]"); err == nil {
		t.Error("a document of 600,001 values is read")
	}
}
