package source

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dl4go/dl4go/internal/campaign"
)

// TestCSVQuotes: the error for a quote that is not closed names the place where it opens, whatever follows, and in
// whatever pieces the file arrives.
func TestCSVQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"a,k\n1,x\n2,\"y\n3,z\n4,w\n":          "t.csv:3:3: the quote that opens here is never closed",
		"a,k\n1,x\n2,\"y\n3,\"z\"\n4,w\n":      `t.csv:3:3: the quote that opens here is closed in line 4, column 3, and 'z' follows`,
		"a,k\n1,\"two\nlines\"\n2,\"y\"\"\n3,": "t.csv:4:3: the quote that opens here is never closed",
		"\"" + strings.Repeat("x\n", maxQuoted/2+1): "t.csv:1:1: the quote that opens here is not closed within " +
			"1048576 bytes",
		"a,k\n" + strings.Repeat("1", maxRecord+1): "t.csv:2:1: a record has more than 16777216 bytes",
		// comes first
		"a,k\nx,y\n2," + strings.Repeat("\"z\"x", 10): "t.csv:2:1: column \"a\": \"x\" is not a finite number",
		"a,k\n1,\"x\" y\n": "t.csv:2:3: the quote that opens here is closed in line 2, column " +
			"5, and ' ' follows",
		"a,k\n1,b\"are\n": "t.csv:2:4: bare \"",
		"a,k\n" + strings.Repeat("1,\"x\"\"y\"\n", 99): "",
		"a,k\r\n1,\"x\"\r\n2,\"\"\"\"\r\n":             "",
		"a,k\n1,\"x\"":                                 "",
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(text),
			"by bytes": iotest.OneByteReader(strings.NewReader(text))} {
			if name == "by bytes" && len(text) > 1<<20 {
				continue
			}
			r := newCSVReader("t.csv", CSV{}, false)
			err := r.read(in)
			var at *CSVError
			if want == "" && err == nil || want != "" && err != nil && strings.HasPrefix(err.Error(), want) &&
				errors.As(err, &at) {
				continue
			}
			t.Errorf("%.40q %s: %v, wanted %s", text, name, err, want)
		}
	}
}

// TestCSVParser: the parser accepts the same texts as encoding/csv, and returns the same fields at the same places.
func TestCSVParser(t *testing.T) {
	parts := []string{"a", "\"", ",", "\n", "\r\n", "é", "\"\"", "#"}
	var all func(text string, n int)
	all = func(text string, n int) {
		for _, p := range parts {
			if n > 1 {
				all(text+p, n-1)
				continue
			}
			for _, comma := range []rune{',', 'é'} {
				want, wantErr := parsedByLibrary(text+p, comma)
				got, err := parsed(strings.NewReader(text+p), comma)
				if (wantErr == nil) != (err == nil) || err == nil && !slices.Equal(got, want) {
					t.Errorf("%q: %v and %v, the library's %v and %v", text+p, got, err, want, wantErr)
				}
			}
		}
	}
	for n := range campaign.Count(4, 5, 5) {
		all("", n+1)
	}
}

// parsed returns the fields of a text with their places, and empty texts between records.
func parsed(text io.Reader, comma rune) (all []string, err error) {
	p := newCSVParser("t.csv", text, comma, '#')
	for {
		record, err := p.read()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		for i, s := range record {
			at := p.at(i)
			all = append(all, fmt.Sprintf("%d:%d %q", at.line, at.column, s))
		}
		all = append(all, "")
	}
}

func parsedByLibrary(text string, comma rune) (all []string, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.Comment, r.FieldsPerRecord = comma, '#', -1
	for {
		record, err := r.Read()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		for i, s := range record {
			line, column := r.FieldPos(i)
			all = append(all, fmt.Sprintf("%d:%d %q", line, column, s))
		}
		all = append(all, "")
	}
}

// TestCSVGoesOn: after an error, reading goes on with the next line.
func TestCSVGoesOn(t *testing.T) {
	for text, want := range map[string]string{
		"1,\"2\n3,4\n5,6\n":                                   "! 3,4 5,6",
		"1,2\n3,\"4\n5,\"6\"\n7,8\n":                          "1,2 ! 5,6 7,8",
		"1,b\"are\n2,3\n":                                     "! 2,3",
		strings.Repeat("x", maxRecord+9) + "\n1,2":            "! 1,2",
		"0\n\"" + strings.Repeat("x\n", maxQuoted/2+1) + "\"": "0 !" + strings.Repeat(" x", maxQuoted/2) + " !",
	} {
		p := newCSVParser("t.csv", strings.NewReader(text), 0, 0)
		var got []string
		for {
			record, err := p.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				record = []string{"!"}
			}
			got = append(got, strings.Join(record, ","))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%.40q: %.80s (%d), wanted %.80s (%d)", text, s, len(s), want, len(want))
		}
	}
}

// TestCSVLineWithoutEnd: reading data without line ends stops at the limit of a record.
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

// read reads all rows of a text.
func (r *csvReader) read(text io.Reader) error {
	t := r.records.(*csvTable)
	t.header = r.begin
	if err := t.openText(r.path, text, r.options.format()); err != nil {
		return err
	}
	return r.readAll()
}
