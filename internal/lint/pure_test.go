package lint

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pureImports are the only imports of state machines.
var pureImports = []string{"encoding/binary", "fmt", "hash/crc32", "math", "math/bits", "slices", "strings", "time"}

// TestStateMachines: package coordination only computes. Its results depend on its events alone: it has no goroutines
// and channels, reads no clock, and iterates over no map.
func TestStateMachines(t *testing.T) {
	paths, err := filepath.Glob("../../internal/coordination/*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if name, _ := strconv.Unquote(imp.Path.Value); !slices.Contains(pureImports, name) {
				t.Errorf("%v: state machines do not import %s", fset.Position(imp.Pos()), name)
			}
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	exports := map[string]string{}
	for _, p := range compile(t, pureImports...) {
		exports[p.ImportPath] = p.Export
	}
	checker := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := checker.Check("coordination", fset, files, info); err != nil {
		t.Fatal(err)
	}
	refuse := func(n ast.Node, what string) { t.Errorf("%v: state machines have no %s", fset.Position(n.Pos()), what) }
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				refuse(n, "goroutines")
			case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
				refuse(n, "channels")
			case *ast.RangeStmt:
				if _, is := info.Types[n.X].Type.Underlying().(*types.Map); is {
					refuse(n, "loops over maps")
				}
			case *ast.SelectorExpr:
				if f, is := info.Uses[n.Sel].(*types.Func); is && f.Pkg() != nil && f.Pkg().Path() == "time" &&
					f.Signature().Recv() == nil {
					refuse(n, "time."+f.Name())
				}
			}
			return true
		})
	}
}
