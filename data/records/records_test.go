package records_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/records"
	"github.com/dl4go/dl4go/data/source"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// lines returns the values of rows, and the errors of bad rows.
func lines(t *testing.T, rows source.Rows, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var all []string
	for {
		item, err := rows.Next()
		var bad *source.RowError
		switch {
		case err == io.EOF:
			return strings.Join(all, "; ")
		case errors.As(err, &bad):
			all = append(all, "! "+err.Error()[strings.Index(err.Error(), "t.txt"):])
			continue
		case err != nil:
			return err.Error()
		}
		for _, row := range append(item.Sequence, item.Row) {
			values := make([]string, len(row))
			for i, v := range row {
				values[i] = v.String()
			}
			if row != nil {
				all = append(all, strings.Join(values, ","))
			}
		}
	}
}

// items returns the values of rows and sequences, each as one, and the errors of bad ones.
func items(t *testing.T, rows source.Rows, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var all []string
	for {
		item, err := rows.Next()
		if err == io.EOF {
			return strings.Join(all, "; ")
		}
		if err != nil {
			all = append(all, "! "+err.Error()[strings.Index(err.Error(), "t.txt"):])
			continue
		}
		var values []string
		for _, row := range append(item.Sequence, item.Row) {
			for _, v := range row {
				values = append(values, v.String())
			}
		}
		all = append(all, strings.Join(values, ","))
	}
}

// TestSVMLight: labels are read unchanged, or as columns of 0 and 1; errors name the line.
func TestSVMLight(t *testing.T) {
	for _, c := range []struct {
		text, want string
		o          records.SVMLightOptions
	}{
		{"# x\n1 0:2 2:3\n\n-1.5\tqid:3 1:NaN # y\n", "2.0,0.0,3.0,1; 0.0,NaN,0.0,-1.5",
			records.SVMLightOptions{Features: 3, Label: true}},
		{"1 1:2\n", "2.0,0.0", records.SVMLightOptions{Features: 2, OneBased: true}},
		{"1,3 0:1\n 0:2\n2\n", "1.0,1,0,1; 2.0,0,0,0; 0.0,0,1,0", records.SVMLightOptions{Features: 1, Label: true,
			Labels: 3}},
		{"0 0:1\n", "1.0,1,0", records.SVMLightOptions{Features: 1, Label: true, Labels: 2, ZeroBasedLabel: true}},
		{"1 3:1\n1 0:x\n1 a\n 0:1\nx 0:1\n", `! t.txt:1: "3:1" is no INDEX:VALUE with an index of one of the 3 features; ` +
			`! t.txt:2: "x" is not a number; ! t.txt:3: "a" is no INDEX:VALUE with an index of one of the 3 features; ` +
			`! t.txt:4: there is no label; ! t.txt:5: "x" is not a number`, records.SVMLightOptions{Features: 3, Label: true}},
		{"4 0:1\n", `! t.txt:1: "4" is none of the 3 labels`, records.SVMLightOptions{Features: 1, Label: true, Labels: 3}},
	} {
		rows, err := records.SVMLight(t.Context(), file(t, "t.txt", c.text), c.o)
		if got := lines(t, rows, err); got != c.want {
			t.Errorf("%q: %s, wanted %s", c.text, got, c.want)
		}
	}
}

// TestSequences reads sequences from files and from lines.
func TestSequences(t *testing.T) {
	one, two := file(t, "t.txt", "x;y\n1;'a;b'\n2;\n"), file(t, "u.txt", "x\n3\n")
	o := records.CSVOptions{Skip: 1, Delimiter: ';', Quote: '\''}
	rows, err := records.CSVSequences(t.Context(), []string{one, one}, o)
	if got := lines(t, rows, err); got != "1,a;b; 2,; 1,a;b; 2," {
		t.Error(got)
	}
	rows, err = records.CSVSequences(t.Context(), []string{one, two}, o)
	if got := lines(t, rows, err); !strings.Contains(got, "u.txt: there are 1 columns, and 2 in ") {
		t.Error(got)
	}
	rows, err = records.CSVLines(t.Context(), one, 2, records.CSVOptions{Delimiter: ';', Quote: '\''})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, want := range []int{2, 1} {
		if item, err := rows.Next(); err != nil || len(item.Sequence) != want {
			t.Errorf("%d lines, %v, wanted %d", len(item.Sequence), err, want)
		}
	}
}

// TestJSONLinesMissing reads fields that are missing in all lines, nested ones, and arrays.
func TestJSONLinesMissing(t *testing.T) {
	path := file(t, "t.txt", "{\"a\":{\"b\":1.50},\"c\":true}\n{\"c\":[1]}\n")
	rows, err := records.JSONLines(t.Context(), path, records.Field{Path: []string{"a", "b"}, Missing: "?"},
		records.Field{Path: []string{"z"}}, records.Field{Path: []string{"c"}})
	const want = `1.5,,true; ! t.txt:2: column "c": an array, where a text or a number is needed`
	if got := lines(t, rows, err); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}

// TestBadSettings: bad settings of iterators are errors. Values that are not numbers are errors that name the place.
func TestBadSettings(t *testing.T) {
	path := file(t, "t.txt", "1,2\nx,1\n")
	open := func() source.Rows {
		rows, err := records.CSV(t.Context(), path, records.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { rows.Close() })
		return rows
	}
	for want, o := range map[string]records.DataSetOptions{
		"minibatches of 0 examples":                             {},
		"the label's column is 2":                               {Batch: 1, Label: 2},
		"t.txt:1: column 1: 2 is not a class: there are 0 to 1": {Batch: 1, Label: 1, Classes: 2},
		"t.txt:2: column 0: \"x\" is not a number":              {Batch: 2, Label: 1, Classes: 3},
	} {
		it, err := records.DataSets(open(), o)
		for range 2 {
			if err == nil {
				_, err = it.Next()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
	if _, err := records.MultiDataSets(nil, records.MultiOptions{Batch: 1,
		Inputs: []records.Array{{Reader: "a"}}}); err == nil {
		t.Error("an unknown reader is taken")
	}
}

// TestMended reads what DataVec's readers fail on, or answer with empty sequences.
func TestMended(t *testing.T) {
	two := records.SeriesOptions{Mode: records.SameLength}
	groups := regexp.MustCompile(`(a)|(?P<other>\w+)`)
	for name, c := range map[string]struct {
		text, want string
		open       func(path string) (source.Rows, error)
	}{
		"the last windows": {"1\n2\n3\n", "2,1; 3,2", func(path string) (source.Rows, error) {
			return records.CSVWindows(t.Context(), path, 3, 2, records.CSVOptions{})
		}},
		"series of other widths": {"1,2\n3,4\n\n5\n", "1,3,2,4; ! t.txt:4: this sequence has 1 lines, and the first one 2",
			func(path string) (source.Rows, error) { return records.CSVSeries(t.Context(), path, two) }},
		"a group without a match": {"a\nbc\n-\n", "a,NullWritable; NullWritable,bc; ! t.txt:3: the expression " +
			"\\A(?:(a)|(?P<other>\\w+))\\z does not match the line \"-\"",
			func(path string) (source.Rows, error) {
				return records.RegexLines(t.Context(), path, groups, records.RegexOptions{})
			}},
		"no group": {"a\n", "the expression a has no group, so that lines have no columns", func(path string) (source.Rows,
			error) {
			return records.RegexSequences(t.Context(), []string{path}, regexp.MustCompile("a"), records.RegexOptions{})
		}},
		"groups of a column": {"1kg,x\nkg,y\n", `1,kg,x; ! t.txt:2: column "0": the expression \A(?:(\d+)(.*))\z does not ` +
			`match "kg"`, func(path string) (source.Rows, error) {
			rows, err := records.CSV(t.Context(), path, records.CSVOptions{})
			if err != nil {
				return nil, err
			}
			return records.Groups(rows, regexp.MustCompile(`(\d+)(.*)`), nil)
		}},
		"readers of other widths": {"1\n", "reader 2 has 2 columns, and the first one 1", func(path string) (source.Rows,
			error) {
			one, err := records.CSV(t.Context(), path, records.CSVOptions{})
			if err != nil {
				return nil, err
			}
			defer one.Close()
			two, err := records.Composed(one, one)
			if err != nil {
				return nil, err
			}
			return records.Concatenated(one, two)
		}},
	} {
		rows, err := c.open(file(t, "t.txt", c.text))
		if got := items(t, rows, err); got != c.want {
			t.Errorf("%s: %s, wanted %s", name, got, c.want)
		}
	}
}
