package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/dl4go/dl4go/pipeline"
)

// rawRows reads all rows of data, as lines of values between bars; each error of a row is one line.
func rawRows(name string, o RowOptions) (lines []string, names string, err error) {
	n, err := Parse(name)
	if err != nil {
		return nil, "", err
	}
	if err := n.Check(Options{}); err != nil {
		return nil, "", err
	}
	k, _ := KindOf(n.Kind)
	rows, err := k.(Tabular).Rows(context.Background(), n, o)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for {
		item, err := rows.Next()
		var bad *RowError
		switch {
		case err == io.EOF:
			return lines, strings.Join(rows.Schema().Names(), "|"), nil
		case errors.As(err, &bad):
			lines = append(lines, "! "+err.Error())
			continue
		case err != nil:
			return lines, "", err
		}
		var b strings.Builder
		for _, row := range append(item.Sequence, item.Row) {
			for i, v := range row {
				b.WriteString(map[bool]string{true: "|"}[i > 0] + v.String())
			}
		}
		lines = append(lines, filepath.Base(rows.Place())+" "+b.String())
	}
}

func texts(names ...string) *pipeline.Schema {
	s := &pipeline.Schema{}
	for _, n := range names {
		s.Columns = append(s.Columns, pipeline.StringColumn{Name: n})
	}
	return s
}

// TestCSVRawRows: texts are as in the file, under the file's column names, or the wanted ones.
func TestCSVRawRows(t *testing.T) {
	for _, c := range []struct {
		text, settings string
		as             *pipeline.Schema
		names, lines   string
	}{
		{"a,b\n1, x\n\"2\",\"y\nz\"\n\n3,\n", "", nil, "a|b", "t.csv:2 1| x; t.csv:3 2|y\nz; t.csv:6 3|"},
		{"1,x\n2,y\n", "", nil, "0|1", "t.csv:1 1|x; t.csv:2 2|y"},
		{"x,y\n2,y\n", "?header=false", nil, "0|1", "t.csv:1 x|y; t.csv:2 2|y"},
		{"x,y\nz,y\n", "", texts("a", "b"), "a|b", "t.csv:1 x|y; t.csv:2 z|y"},
		{"b,more,a\nz,y,1\n", "", texts("a", "b"), "b|more|a", "t.csv:2 z|y|1"},
		{"1,y\nz,y\n", "?header=true", texts("a", "b"), "1|y", "t.csv:2 z|y"},
		{"", "", texts("a", "b"), "a|b", ""},
		{"a;b\n# no row\n1;2\n", "?delimiter=%3B&comment=%23", nil, "a|b", "t.csv:3 1|2"},
		{"a,b\n1,2\n3\n4,5,6\n7,\"8\n9,10\n", "", nil, "a|b",
			"t.csv:2 1|2; ! t.csv:3:1: this line has 1 field, the first line has 2; " +
				"! t.csv:4:1: this line has 3 fields, the first line has 2; ! t.csv:5:3: the quote that opens here is never " +
				"closed; t.csv:6 9|10"},
		{"a\n\xff\nb\n", "", nil, "a",
			"! t.csv:2:1: column \"a\": \"\\xff\" is not UTF-8; encoding=NAME says what it is, such as latin-1; t.csv:3 b"},
	} {
		path := write(t, "t.csv", c.text)
		lines, names, err := rawRows("csv:"+path+c.settings, RowOptions{As: c.as})
		got := strings.ReplaceAll(strings.Join(lines, "; "), path, "t.csv")
		if err != nil || names != c.names || got != c.lines {
			t.Errorf("%q: %s, %s, %v; wanted %s, %s", c.text, names, got, err, c.names, c.lines)
		}
	}
	for text, want := range map[string]string{
		"":           "t.csv: it is empty: there is no header and no row",
		"a,b,a\n":    `t.csv:1:1: two columns have the name "a"`,
		"\"a,b\n1,2": "t.csv:1:1: the quote that opens here is never closed",
	} {
		if _, _, err := rawRows("csv:"+write(t, "t.csv", text), RowOptions{}); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: %v, wanted %s", text, err, want)
		}
	}
	_, _, err := rawRows("csv:"+write(t, "t.csv", "1,2,3\n"), RowOptions{As: texts("a", "b")})
	if err == nil || !strings.Contains(err.Error(),
		"t.csv:1:1: the first line has 3 fields and is not a header; the columns that are wanted are a, b") {
		t.Error(err)
	}
}

// TestCSVPacked: compressed files are recognized by their content, and encodings are read by name.
func TestCSVPacked(t *testing.T) {
	const text = "näme,b\nÄ€,1\n"
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	windows, _ := charmap.Windows1252.NewEncoder().String(text)
	bzip2, err := os.ReadFile("testdata/names.csv.bz2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, content, settings string }{
		{"plain.gz", text, ""},
		{"mark.csv", "\ufeff" + text, ""},
		{"gzip.csv", gzipped(t, text), ""},
		{"zstd.csv", zstandard(t, text), ""},
		{"bzip2.csv", string(bzip2), ""},
		{"utf16.csv", utf16, "?encoding=UTF-16"},
		{"utf16.csv.gz", gzipped(t, utf16), "?encoding=utf16"},
		{"windows.csv", windows, "?encoding=windows-1252"},
	} {
		lines, names, err := rawRows("csv:"+write(t, c.name, c.content)+c.settings, RowOptions{})
		if got := strings.Join(lines, "; "); err != nil || names != "näme|b" || got != c.name+":2 Ä€|1" {
			t.Errorf("%s: %s, %s, %v", c.name, names, got, err)
		}
	}
	whole := gzipped(t, strings.Repeat("a,b\n1,2\n", 1000))
	_, _, err = rawRows("csv:"+write(t, "cut.csv", whole[:len(whole)-9]), RowOptions{})
	if err == nil || !strings.Contains(err.Error(), "cut.csv: unexpected EOF") {
		t.Error(err)
	}
	_, _, err = rawRows("csv:x?encoding=klingon", RowOptions{})
	if err == nil || !strings.Contains(err.Error(), "encoding=klingon: there are utf-8, utf-16, latin-1") {
		t.Error(err)
	}
	s, err := Open(t.Context(), "csv:"+write(t, "n.csv", gzipped(t, "a,y\n1,0\n2,1\n")))
	if err != nil || s.Objects() != 2 {
		t.Error("training data in gzip:", err)
	}
}

func zstandard(t *testing.T, text string) string {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCSVBomb: a file that unpacks to a huge text is read in pieces, and its single line is refused.
func TestCSVBomb(t *testing.T) {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	zeros := make([]byte, 1<<20)
	for range 64 {
		w.Write(zeros)
	}
	w.Close()
	_, err := Open(t.Context(), "csv:"+write(t, "bomb.csv", b.String()))
	if err == nil || !strings.Contains(err.Error(), "bomb.csv:1:1: a record has more than 16777216 bytes") {
		t.Error(err)
	}
}

// TestCSVFiles: a directory or a pattern is one table of all its files, whose columns are matched by name.
func TestCSVFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("b.csv", "y,x\n3,4\n5,6\n")
	put("a.csv", "x,y\n1,2\n")
	put("c.csv", "")
	put(".hidden.csv", "z\n")
	const want = "a.csv:2 1|2; b.csv:2 4|3; b.csv:3 6|5"
	for _, place := range []string{dir, dir + "/*.csv", dir + "/[ab].csv", "file://" + dir + "/*.csv"} {
		lines, names, err := rawRows("csv:"+place, RowOptions{})
		if got := strings.Join(lines, "; "); err != nil || names != "x|y" || got != want {
			t.Errorf("%s: %s, %s, %v", place, names, got, err)
		}
	}
	s, err := Open(t.Context(), "csv:"+dir+"?regression=true&label=y")
	if err != nil {
		t.Fatal(err)
	}
	if m := s.(Table).Range(0, 3); m.Features[0].Data[1] != 4 || m.Labels[0].Data[2] != 5 {
		t.Errorf("%v, %v", m.Features, m.Labels)
	}
	put("b.csv", "y,z\n3,4\n")
	_, _, err = rawRows("csv:"+dir, RowOptions{})
	if err == nil || !strings.Contains(err.Error(),
		dir+"/b.csv:1:1: the columns are y, z, and those of "+dir+"/a.csv are x, y") {
		t.Error(err)
	}
	put("b.csv", "x,y\n3,4\n5,six\n")
	_, err = Open(t.Context(), "csv:"+dir+"?regression=true&label=y")
	if err == nil || !strings.Contains(err.Error(), `b.csv:3:3: column "y": "six" is not a finite number`) {
		t.Error(err)
	}
	_, _, err = rawRows("csv:"+dir+"/*.tsv", RowOptions{})
	if err == nil || !strings.Contains(err.Error(), "*.tsv: no file fits this pattern") {
		t.Error(err)
	}
}

// TestBadRows: a policy counts the skipped rows, and reports the first ones.
func TestBadRows(t *testing.T) {
	b, err := ParseBadRows("skip:2")
	if err != nil {
		t.Fatal(err)
	}
	bad := &RowError{Err: errors.New("t.csv:3: no")}
	if err := errors.Join(b.Allow(bad), b.Allow(bad)); err != nil || b.Notice() !=
		"2 rows were skipped: t.csv:3: no; t.csv:3: no" {
		t.Error(err, b.Notice())
	}
	if err := b.Allow(bad); err == nil || err.Error() != "t.csv:3: no; bad-rows=skip:2 allows no more" {
		t.Error(err)
	}
	if err := b.Allow(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	for _, text := range []string{"", "skip", "skip:0", "skip:-1", "skip:x"} {
		if _, err := ParseBadRows(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestCSVRowsByIndex: columns without a header are found by their indices, even if some of them are not wanted. A first
// row may hold the same numbers by chance; it is still a row.
func TestCSVRowsByIndex(t *testing.T) {
	as := func(names ...string) *pipeline.Schema {
		s := &pipeline.Schema{}
		for _, name := range names {
			s.Columns = append(s.Columns, pipeline.DoubleColumn{Name: name})
		}
		return s
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("0,2,1\n4,5,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, _ := KindOf("csv")
	for _, names := range [][]string{{"0", "2"}, {"0", "1", "2"}, {"2"}} {
		rows, err := k.(Tabular).Rows(t.Context(), Name{Kind: "csv", Place: path}, RowOptions{As: as(names...)})
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if got := rows.Schema().Names(); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("columns %v", got)
		}
		first, err := rows.Next()
		if err != nil || first.Row[1].String() != "2" {
			t.Errorf("as %v the first row is %v, error %v", names, first.Row, err)
		}
	}
	if _, err := k.(Tabular).Rows(t.Context(), Name{Kind: "csv", Place: path}, RowOptions{As: as("0", "3")}); err == nil {
		t.Error("a column that is not there is found")
	}
}
