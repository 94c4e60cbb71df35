package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	longestFunction = 100 // lines
	ninthTenth      = 30  // lines, which 90 % of the functions have at most
	longestLine     = 120 // columns
	// longLines is how many lines of Go may be longer, all told. Lower it when they get fewer; never raise it.
	longLines = 1087
)

// TestLengths holds functions outside tests, and all lines, to their lengths. Generated files are exempt.
func TestLengths(t *testing.T) {
	var lengths []int
	long := 0
	for _, p := range list(t) {
		if under(strings.TrimPrefix(p.ImportPath, module), "bench") { // tables of what is measured
			continue
		}
		dir := filepath.Join("../..", strings.TrimPrefix(p.ImportPath+"/", module))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(f) {
				continue
			}
			for line := range bytes.Lines(text) {
				if utf8.RuneCount(bytes.TrimRight(line, "\n")) > longestLine {
					long++
				}
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is && fn.Body != nil {
					n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
					if lengths = append(lengths, n); n > longestFunction {
						t.Errorf("%v: %s has %d lines, at most %d are wanted", set.Position(fn.Pos()), fn.Name.Name, n, longestFunction)
					}
				}
			}
		}
	}
	slices.Sort(lengths)
	if n := lengths[len(lengths)*9/10]; n > ninthTenth {
		t.Errorf("a tenth of the functions has more than %d lines; at most %d are wanted", n, ninthTenth)
	}
	if long > longLines {
		t.Errorf("%d lines have more than %d columns; the limit is %d, and only goes down: break lines", long, longestLine, longLines)
	}
}
