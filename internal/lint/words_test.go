package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ownWords are words with one meaning, and the only packages whose identifiers may contain them.
var ownWords = map[string][]string{
	// A run's claim on a directory.
	"lease": {"internal/lease", "internal/checkpoint", "internal/slots", "internal/tune", "cmd/dl4go"},
	// The sign that a driver still wants its jobs.
	"heartbeat": {"internal/worker", "internal/spark"},
}

// words splits an identifier: HTTPServer2 is HTTP, Server.
var words = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

// TestOneMeaning: no other package uses these words for something else.
func TestOneMeaning(t *testing.T) {
	for _, p := range list(t) {
		path := strings.TrimPrefix(p.ImportPath+"/", module)
		dir := strings.TrimSuffix(path, "/")
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, filepath.Join("../..", dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(f) {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is && !ownWord(s.Sel.Name, dir) {
					return false // another package's name is checked there
				}
				id, is := n.(*ast.Ident)
				if is && !ownWord(id.Name, dir) {
					t.Errorf("%v: %s: that word has one meaning, which is another one: see ownWords",
						files.Position(id.Pos()), id.Name)
				}
				return true
			})
		}
	}
}

// ownWord reports whether the identifiers of a package may contain a name.
func ownWord(name, dir string) bool {
	for _, w := range words.FindAllString(name, -1) {
		if in, is := ownWords[strings.TrimSuffix(strings.ToLower(w), "s")]; is && !slices.Contains(in, dir) {
			return false
		}
	}
	return true
}
