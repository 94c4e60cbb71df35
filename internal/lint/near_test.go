package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNumbersAreComparedByNear: no test bounds a difference itself. Such comparisons miss NaN, and the tolerance would
// mean something else in each test.
func TestNumbersAreComparedByNear(t *testing.T) {
	for _, file := range testFiles(t) {
		if strings.HasPrefix(file, "internal/near/") || strings.HasPrefix(file, "examples/external/") {
			continue
		}
		for _, line := range boundedDifferences(t, file, nil) {
			t.Errorf("%s:%d: a difference is compared with a bound: internal/near does that", file, line)
		}
	}
}

// TestBoundedDifferencesAreFound: the lint test above finds all bounded differences, and nothing else.
func TestBoundedDifferencesAreFound(t *testing.T) {
	const text = `package p
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }
func TestA(t *testing.T) {
	if d := 1e-6; d > 0 && d < math.Abs(float64(a-b)) {
		t.Error(math.Abs(a), math.Abs(a-b))
	}
	if math.Abs(a) < 1 || largest > max(largest, math.Abs(a-b)) {
		t.Error(math.Abs(float64((a - b)))/2 > 1)
	}
	e := math.Abs(a - b)
	if e > 1e-6 {
		t.Error(e)
	}
}
func ExampleA() { fmt.Println(math.Abs(a-b) < 1) }
`
	if got, want := boundedDifferences(t, "p_test.go", text), []int{2, 4, 8, 11}; !slices.Equal(got, want) {
		t.Errorf("found lines %v, not %v", got, want)
	}
}

// boundedDifferences returns the lines of a file, or of its text, that compare the magnitude of a difference.
func boundedDifferences(t *testing.T, file string, text any) (lines []int) {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, filepath.Join(root, file), text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") { // readers copy these
			continue
		}
		kept := map[string]bool{} // variables that are differences
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if v, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
						kept[v.Name] = isDifference(n.Rhs[i], nil)
					}
				}
			case *ast.BinaryExpr:
				if slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) &&
					(isDifference(n.X, kept) || isDifference(n.Y, kept)) {
					lines = append(lines, set.Position(n.OpPos).Line)
				}
			}
			return true
		})
	}
	return lines
}

// isDifference reports whether e is math.Abs of a difference, or of a conversion of one, also as a part of something.
// kept has variables that are.
func isDifference(e ast.Expr, kept map[string]bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return kept[e.Name]
	case *ast.BinaryExpr:
		return (e.Op == token.QUO || e.Op == token.MUL) && isDifference(e.X, kept)
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || name(call.Fun) != "math.Abs" {
		return false
	}
	of := ast.Unparen(call.Args[0])
	if conversion, ok := of.(*ast.CallExpr); ok && len(conversion.Args) == 1 {
		of = ast.Unparen(conversion.Args[0])
	}
	b, ok := of.(*ast.BinaryExpr)
	return ok && b.Op == token.SUB
}
