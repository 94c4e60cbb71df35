package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// timed are the calls that a test may not make while the machine's clock runs, with their replacements.
var timed = map[string]string{
	"time.Sleep":           "await.Until waits for what has to come",
	"time.After":           "await.From waits for a channel",
	"time.AfterFunc":       "wait for an event",
	"time.Tick":            "wait for an event",
	"time.NewTimer":        "await.From waits for a channel",
	"time.NewTicker":       "await.Until waits for what has to come",
	"time.Since":           "what a machine can do in a time is no property of the program: benchmarks measure",
	"time.Until":           "the same as time.Since",
	"time.Now().Sub":       "the same as time.Since",
	".SetDeadline":         "close the connection when the test ends",
	".SetReadDeadline":     "close the connection when the test ends",
	".SetWriteDeadline":    "close the connection when the test ends",
	"context.WithTimeout":  "await.Context ends what hangs",
	"context.WithDeadline": "await.Context ends what hangs",
}

// skips are the methods by which a test skips itself.
var skips = []string{"Skip", "Skipf", "SkipNow"}

// lasting are the files that may make such calls, with the reason why nothing depends on their duration.
var lasting = map[string]string{
	"internal/coordination/mesh/meshtest/pressure.go time.Since":      "a slow sender passes too",
	"distributed/sharing/director_linux_test.go .SetDeadline":         "ends a director that hangs, which has no test",
	"distributed/sharing/director_linux_test.go .SetReadDeadline":     "the same",
	"distributed/sharing/faulty_linux_test.go time.Until":             "a worker that is cut off stays so for a while",
	"distributed/paramavg/clock_test.go time.Until":                   "clocks are days apart, and nothing takes hours",
	"internal/coordination/mesh/hostile_test.go .SetDeadline":         "ends an attack that hangs, which has no test",
	"internal/coordination/mesh/port_test.go .SetDeadline":            "the same",
	"internal/enginetest/resident.go time.NewTicker":                  "a worker's task looks for a file, and has no test",
	"storage/s3/lend_storage_test.go time.Until":                      "a loan for an hour has at most an hour left",
	"distributed/sharing/director_linux_test.go time.Sleep":           "a worker that is stopped stays so for a while",
	"distributed/sharing/director_linux_test.go time.After":           "ends a director that hangs, which has no test",
	"distributed/sharing/faulty_linux_test.go time.Sleep":             "a worker that is cut off stays so for a while",
	"internal/serving/inbox_test.go time.Sleep":                       "a slow client, by synctest's clock",
	"internal/serving/inbox_test.go time.Since":                       "the same",
	"internal/serving/bench_linux_test.go time.Since":                 "a part of benchmarks",
	"internal/mlflow/fake_test.go time.AfterFunc":                     "a slow server, by synctest's clock",
	"internal/coordination/mesh/hostile_test.go context.WithDeadline": "ends an attack that hangs, which has no test",
}

// TestTestsWaitForEvents: no test sleeps, depends on a time limit, or skips itself, except through internal/need. With
// synctest's clock, and in benchmarks, time may be used freely.
func TestTestsWaitForEvents(t *testing.T) {
	used := map[string]bool{}
	for _, file := range append(testFiles(t), suiteFiles(t)...) {
		for _, f := range findings(t, file, nil) {
			if lasting[file+" "+f.call] != "" {
				used[file+" "+f.call] = true
				continue
			}
			t.Errorf("%s:%d: %s in a test: %s", file, f.line, f.call, f.instead)
		}
	}
	for exception := range lasting {
		if !used[exception] {
			t.Errorf("nothing needs the exception %q any more", exception)
		}
	}
}

// TestWaitingIsFound: the lint test above finds all such calls, and nothing else.
func TestWaitingIsFound(t *testing.T) {
	const text = `package p
import clock "time"
func TestA(t *testing.T) {
	time.Sleep(1)
	go func() { <-time.After(1) }()
	synctest.Test(t, func(t *testing.T) { time.Sleep(1) })
	t.Skip()
}
func BenchmarkA(b *testing.B) { time.Since(x) }
func TestB(t *testing.T) { synctest.Test(t, virtual) }
func virtual(t *testing.T) { time.Sleep(1) }
func dial(c net.Conn) { c.SetReadDeadline(x) }
func TestC(t *testing.T) {
	rest, leave := time.Sleep, t.SkipNow
	rest(time.Now().Sub(begin))
}
`
	var got []string
	for _, f := range findings(t, "p_test.go", []byte(text)) {
		got = append(got, fmt.Sprint(f.line, f.call))
	}
	if want := []string{"2import clock", "4time.Sleep", "5time.After", "7Skip", "12.SetReadDeadline",
		"14time.Sleep", "14SkipNow", "15time.Now().Sub"}; !slices.Equal(got, want) {
		t.Errorf("found %v, not %v", got, want)
	}
}

// root of the module.
var root = filepath.Join("..", "..")

// testFiles lists the source files of tests, from the module's root on.
func testFiles(t *testing.T) []string {
	t.Helper()
	return goFiles(t, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// goFiles lists source files, from the module's root on, without package need, which may skip tests.
func goFiles(t *testing.T, want func(file string) bool) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "need"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && want(path):
			file, err := filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(file))
			return err
		}
		return nil
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// suiteFiles lists the source files of packages for tests: those with a file that takes a *testing.T. Package await is
// left out, because it waits for the others.
func suiteFiles(t *testing.T) (files []string) {
	t.Helper()
	suites := map[string]bool{}
	sources := goFiles(t, func(file string) bool { return !strings.HasSuffix(file, "_test.go") })
	for _, file := range sources {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tree.Imports {
			if i.Path.Value == `"testing"` && path.Dir(file) != "internal/await" {
				suites[path.Dir(file)] = true
			}
		}
	}
	for _, file := range sources {
		if suites[path.Dir(file)] {
			files = append(files, file)
		}
	}
	if !suites["internal/enginetest"] {
		t.Fatalf("the suites are %v", suites)
	}
	return files
}

// finding is a call that a test should not make.
type finding struct {
	call, instead string
	line          int
}

// findings examines a file, or its text.
func findings(t *testing.T, file string, text []byte) (all []finding) {
	t.Helper()
	var source any
	if text != nil {
		source = text
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, filepath.Join(root, file), source, 0)
	if err != nil {
		t.Fatal(err)
	}
	virtual := map[string]bool{} // functions that use synctest's clock
	ast.Inspect(tree, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && name(call.Fun) == "synctest.Test" {
			if f, ok := call.Args[1].(*ast.Ident); ok {
				virtual[f.Name] = true
			}
		}
		return true
	})
	for _, i := range tree.Imports {
		if of := strings.Trim(i.Path.Value, `"`); i.Name != nil && (of == "time" || of == "context") {
			all = append(all, finding{"import " + i.Name.Name, "import it by its own name", set.Position(i.Pos()).Line})
		}
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && (virtual[f.Name.Name] || strings.HasPrefix(f.Name.Name, "Benchmark")) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				return name(n.Fun) != "synctest.Test"
			case *ast.SelectorExpr: // called, or kept to be called
				for _, f := range found(n) {
					f.line = set.Position(n.Pos()).Line
					all = append(all, f)
				}
			}
			return true
		})
	}
	return all
}

// found returns what a test should not select.
func found(n *ast.SelectorExpr) (all []finding) {
	at := name(n)
	method := path.Ext(at)
	if slices.Contains(skips, method[1:]) {
		all = append(all, finding{call: method[1:], instead: "package need leaves tests out, and tells"})
	}
	for _, selected := range []string{at, method} {
		if instead := timed[selected]; instead != "" {
			all = append(all, finding{call: selected, instead: instead})
		}
	}
	return all
}

// name returns the package or variable, and the function, that are selected. Of the result of a function, it is the
// function's name with parentheses.
func name(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch x := s.X.(type) {
	case *ast.Ident:
		return x.Name + "." + s.Sel.Name
	case *ast.CallExpr:
		if of := name(x.Fun); of != "" && len(x.Args) == 0 {
			return of + "()." + s.Sel.Name
		}
	}
	return "." + s.Sel.Name
}
