package inspect

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// hostile is a table whose names and values try to escape from the page and the line.
const hostile = "<script>alert(1)</script>,\"a\"\"b' onload=x\",n,kind\n" +
	"<img src=x onerror=alert(2)>,\"</style><b>\",1,</section>\n" +
	"javascript:alert(3),\"&amp;\x1b[31m\",2,b\n" +
	"<img src=x onerror=alert(2)>,\"</style><b>\",3.5,b\n" +
	"javascript:alert(3),\"</style><b>\",,</section>\n"

func inspected(t *testing.T, text string, s Settings) (*Report, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "<b>.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := source.Parse("csv:" + file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Data = name; s.Bad == nil {
		s.Bad = &source.BadRows{}
	}
	return Run(context.Background(), s)
}

// TestPageEscapes: the table's content is text on the page, and the page is well-formed.
func TestPageEscapes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if _, err := inspected(t, hostile, Settings{HTML: file,
		Proposal: analysis.Options{Label: []string{"kind"}}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"<script", "<img", "<b>.csv", "</style><b>", "onload=x\"", "http:", "https:"} {
		if bytes.Contains(text, []byte(never)) {
			t.Errorf("the page has %s", never)
		}
	}
	if n := bytes.Count(text, []byte("</section>")); n != 4 {
		t.Errorf("%d sections end, want 4", n)
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("<!DOCTYPE html>\n"))))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
	}
}

// TestLines: each column has one line, without anything that moves a terminal's cursor.
func TestLines(t *testing.T) {
	r, err := inspected(t, hostile, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	lines := r.Lines()
	if len(lines) != 5+len(r.Table.Notices) {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if strings.Contains(strings.Join(lines, ""), "\x1b") {
		t.Error("a line has an escape")
	}
}

// TestMistakes: mistakes are reported before or after reading.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		text string
		s    Settings
		want string
	}{
		{hostile, Settings{Output: "p.txt"}, "--output p.txt: it must end in .json, .yaml or .yml"},
		{hostile, Settings{HTML: "p.txt"}, "--html p.txt: it must end in .html"},
		{hostile, Settings{Proposal: analysis.Options{Label: []string{"x"}}}, `there is no column "x"`},
		{"a,b\n", Settings{}, "there are no rows"},
		{"a,b\n1,2,3\n", Settings{}, ":2:1: this line has 3 fields"},
	} {
		if _, err := inspected(t, c.text, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestNamelessColumn: a column without a name, such as the index that pandas writes, is told as "".
func TestNamelessColumn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	r, err := inspected(t, ",kind\n"+strings.Repeat("x,a\ny,b\n", 30), Settings{HTML: file,
		Proposal: analysis.Options{Label: []string{"kind"}}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(r.Lines(), "\n")
	for _, want := range []string{`notice: column "" determines "kind" alone`, "\n\"\"  "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if page, err := os.ReadFile(file); err != nil || !strings.Contains(string(page), "&#34;&#34;") {
		t.Errorf("the page has no name for the column (%v)", err)
	}
}
