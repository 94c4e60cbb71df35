package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// methodsPerType is the maximum number of methods that a type may declare. A type with more does several things: make
// a type of each, and compose them.
const methodsPerType = 24

// manyMethods are the types that have more, with their number. Lower a number when they get fewer; add no type.
var manyMethods = map[string]int{
	"eval.Evaluation":       52, // Deeplearning4j's class
	"program.Builder":       41, // a method for each formula
	"eval.ROC":              30, // Deeplearning4j's class
	"eval.EvaluationBinary": 26, // Deeplearning4j's class
	"internal/doctor.exam":  26, // a method for each check
}

// TestMethodsPerType counts the methods that each type declares itself, for all systems. Generated files are exempt.
func TestMethodsPerType(t *testing.T) {
	for _, p := range list(t) {
		methods := map[string]map[string]bool{}
		for _, name := range p.sources() {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(f) {
				continue
			}
			for _, d := range f.Decls {
				fn, is := d.(*ast.FuncDecl)
				if !is || fn.Recv == nil {
					continue
				}
				of := receiver(fn.Recv.List[0].Type)
				if methods[of] == nil {
					methods[of] = map[string]bool{}
				}
				methods[of][fn.Name.Name] = true
			}
		}
		pkg, _ := nameOf(p.ImportPath)
		for _, name := range slices.Sorted(maps.Keys(methods)) {
			if n, most := len(methods[name]), max(methodsPerType, manyMethods[pkg+"."+name]); n > most {
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
