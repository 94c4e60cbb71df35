package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// methodsPerType is the maximum number of methods that a type may declare. A type with more does several things: make
// a type of each, and compose them.
const methodsPerType = 24

// manyMethods are the types that have more, with their number. Lower a number when they get fewer; add no type.
var manyMethods = map[string]int{
	"Evaluation":       52, // Deeplearning4j's class
	"Builder":          41, // of programs: a method for each formula
	"ROC":              30, // Deeplearning4j's class
	"EvaluationBinary": 26, // Deeplearning4j's class
	"exam":             26, // of internal/doctor: a method for each check
}

// TestMethodsPerType counts the methods that each type declares itself. Generated files are exempt.
func TestMethodsPerType(t *testing.T) {
	for _, p := range list(t) {
		methods := map[string]int{}
		dir := filepath.Join("../..", strings.TrimPrefix(p.ImportPath+"/", module))
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(f) {
				continue
			}
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is && fn.Recv != nil {
					methods[receiver(fn.Recv.List[0].Type)]++
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(methods)) {
			if n, most := methods[name], max(methodsPerType, manyMethods[name]); n > most {
				t.Errorf("%s.%s has %d methods, at most %d are wanted: split it by concept, and compose the parts",
					p.ImportPath, name, n, most)
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
