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
	ninthTenth      = 30  // lines: the maximum for 90 % of the functions
	longestLine     = 120 // characters; a tab is one
)

// TestLengths holds functions outside tests, and all lines, to the limits. Generated files, directives and lines with
// a raw string, which can't be broken, are exempt.
func TestLengths(t *testing.T) {
	var lengths []int
	for _, p := range list(t) {
		if under(strings.TrimPrefix(p.ImportPath, module), "bench") { // tables of measured values
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
			raw := rawLines(set, f)
			n := 0
			for line := range bytes.Lines(text) {
				n++
				if got := utf8.RuneCount(bytes.TrimRight(line, "\n")); got > longestLine && !raw[n] &&
					!bytes.HasPrefix(line, []byte("//go:")) {
					t.Errorf("%s:%d: the line has %d characters, at most %d are wanted", file, n, got, longestLine)
				}
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, fn := range functions(f) {
				n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				if lengths = append(lengths, n); n > longestFunction {
					t.Errorf("%v: a function has %d lines, at most %d are wanted", set.Position(fn.Pos()), n, longestFunction)
				}
			}
		}
	}
	slices.Sort(lengths)
	if n := lengths[len(lengths)*9/10]; n > ninthTenth {
		t.Errorf("a tenth of the functions has more than %d lines; at most %d are wanted", n, ninthTenth)
	}
}

// functions are the functions and methods of a file, and those that are values of its variables. A function within one
// of them is a part of it.
func functions(f *ast.File) (all []ast.Node) {
	for _, d := range f.Decls {
		if fn, is := d.(*ast.FuncDecl); is {
			if fn.Body != nil {
				all = append(all, fn)
			}
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			fn, is := n.(*ast.FuncLit)
			if is {
				all = append(all, fn)
			}
			return !is
		})
	}
	return all
}

// rawLines are the lines of a file in which a raw string begins, ends or continues.
func rawLines(set *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, is := n.(*ast.BasicLit); is && s.Kind == token.STRING && s.Value[0] == '`' {
			for i := set.Position(s.Pos()).Line; i <= set.Position(s.End()).Line; i++ {
				lines[i] = true
			}
		}
		return true
	})
	return lines
}
