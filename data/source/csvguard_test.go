package source

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestCSVQuotes: a quote that is not closed is an error where it opens, whatever follows, and however the file comes.
func TestCSVQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"a,k\n1,x\n2,\"y\n3,z\n4,w\n":                  "t.csv:3:3: the quote that opens here is never closed",
		"a,k\n1,x\n2,\"y\n3,\"z\"\n4,w\n":              `t.csv:3:3: the quote that opens here is closed in line 4, column 3, and 'z' follows`,
		"a,k\n1,\"two\nlines\"\n2,\"y\"\"\n3,":         "t.csv:4:3: the quote that opens here is never closed",
		"\"" + strings.Repeat("x\n", maxQuoted/2+1):    "t.csv:1:1: the quote that opens here is not closed within 1048576 bytes",
		"a,k\n" + strings.Repeat("1", maxRecord+1):     "t.csv:2:1: a record has more than 16777216 bytes",
		"a,k\nx,y\n2," + strings.Repeat("\"z\"x", 10):  "t.csv:2:1: column \"a\": \"x\" is not a finite number", // comes first
		"a,k\n1,\"x\" y\n":                             "t.csv:2:3: the quote that opens here is closed in line 2, column 5, and ' ' follows",
		"a,k\n1,b\"are\n":                              "t.csv:2:4: bare \"",
		"a,k\n" + strings.Repeat("1,\"x\"\"y\"\n", 99): "",
		"a,k\r\n1,\"x\"\r\n2,\"\"\"\"\r\n":             "",
		"a,k\n1,\"x\"":                                 "",
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text))} {
			if name == "by bytes" && len(text) > 1<<20 {
				continue
			}
			r := newCSVReader("t.csv", CSV{}, false)
			err := r.read(in)
			var at *CSVError
			if want == "" && err == nil || want != "" && err != nil && strings.HasPrefix(err.Error(), want) && errors.As(err, &at) {
				continue
			}
			t.Errorf("%.40q %s: %v, wanted %s", text, name, err, want)
		}
	}
}

// TestCSVGuardPasses: what the parser takes passes the guard unchanged, and what the guard refuses the parser
// refuses too.
func TestCSVGuardPasses(t *testing.T) {
	parts := []string{"a", "\"", ",", "\n", "\r\n", "é", "\"\""}
	var all func(text string, n int)
	all = func(text string, n int) {
		for _, p := range parts {
			if n > 1 {
				all(text+p, n-1)
				continue
			}
			plain, want := csv.NewReader(strings.NewReader(text + p)).ReadAll()
			guarded, err := csv.NewReader(newCSVGuard("t.csv", strings.NewReader(text+p), 0)).ReadAll()
			if (want == nil) != (err == nil) || err == nil && !slices.EqualFunc(plain, guarded, slices.Equal) {
				t.Errorf("%q: %v and %v, without a guard %v and %v", text+p, guarded, err, plain, want)
			}
		}
	}
	for n := range 5 {
		all("", n+1)
	}
}

// TestCSVLineWithoutEnd: what is no text ends at the limit of a record.
func TestCSVLineWithoutEnd(t *testing.T) {
	var read int64
	zeros := readerFunc(func(b []byte) (int, error) { clear(b); read += int64(len(b)); return len(b), nil })
	r := newCSVReader("zeros", CSV{}, false)
	if err := r.read(zeros); err == nil || !strings.Contains(err.Error(), "zeros:1:1: a record has more than") {
		t.Error(err)
	}
	if read > maxRecord+1<<20 {
		t.Errorf("%d bytes were read", read)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
