package lint

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stateInGlobals are the variables that may change, with the reason. Remove lines; add none.
var stateInGlobals = map[string]string{
	"dl4j.tables":          "the tables of classes, by interface: init fills it",
	"dl4j.tablesMu":        "their lock",
	"dl4j.fieldCache":      "what reflection finds of a type, which is always the same",
	"shortnet.known":       "the names of registered classes, which are always the same",
	"engine.mainCalled":    "whether this process can be a worker is a fact about the process",
	"worker.release":       "init of an engine sets it",
	"worker.openHeartbeat": "init of an engine sets it",
	"mesh.frames":          "buffers that are used again: nothing is read from them that was not written before",
	"parquet.spares":       "buffers that are used again: nothing is read from them that was not written before",
	"resident.networks":    "workers that are goroutines find the network of their job by its identifier",
	"resident.probes":      "the last answers, by engine",
}

// tables are the types that pointers may point to: their values do not change once init has run.
var tables = []string{"regexp.Regexp", "strings.Replacer", "hash/crc32.Table", "html/template.Template", "embed.FS",
	module + "internal/registry.Table", module + "dl4j.Classes", module + "dl4j.Enum", module + "internal/joda.Field",
	module + "internal/kernel/threshold.Set"}

// TestNoStateInGlobals: a package variable is a table. It has its value once init has run, and its kind does not
// change afterwards. State that changes belongs to a value that a caller makes, so that two jobs in one process do not
// affect each other. The test does not find a change through another name of the same map or slice.
func TestNoStateInGlobals(t *testing.T) {
	var names []string
	for _, p := range list(t) {
		if len(p.GoFiles) > 0 {
			names = append(names, p.ImportPath)
		}
	}
	there := map[string]bool{}
	for _, g := range globals(t, names...) {
		if there[g.name] = true; stateInGlobals[g.name] == "" {
			t.Errorf("%v: %s is state in a global: %s; put it into a value that its users make", g.at, g.name, g.why)
		}
	}
	for name := range stateInGlobals {
		if !there[name] {
			t.Errorf("%s holds no state any more: take it off the list", name)
		}
	}
}

// TestGlobalsAreFound: the walk finds each kind of state in a package that has them all, and reports no table.
func TestGlobalsAreFound(t *testing.T) {
	want := strings.Fields(read(t, "testdata/globals/want.txt"))
	var got []string
	for _, g := range globals(t, "./testdata/globals") {
		got = append(got, strings.TrimPrefix(g.name, "globals."))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// global is a variable that is not a table.
type global struct {
	name string // with its package
	at   token.Position
	why  string
}

// globals finds the variables of packages that change after init, or whose type can change.
func globals(t *testing.T, names ...string) (found []global) {
	t.Helper()
	all := compile(t, names...)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	files := token.NewFileSet()
	from := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range all {
		if p.DepOnly {
			continue
		}
		w := globalWalk{files: files, seen: map[string]bool{}}
		var trees []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			trees = append(trees, f)
		}
		w.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		config := types.Config{Importer: from, Error: func(error) {}}
		if _, err := config.Check(p.ImportPath, files, trees, w.info); err != nil {
			t.Fatal(err)
		}
		for _, f := range trees {
			if !ast.IsGenerated(f) {
				w.file(f)
			}
		}
		found = append(found, w.found...)
	}
	return found
}

// globalWalk walks a package.
type globalWalk struct {
	files *token.FileSet
	info  *types.Info
	found []global
	seen  map[string]bool // by name
}

func (w *globalWalk) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, is := s.(*ast.ValueSpec); is && d.Tok == token.VAR {
					for _, n := range v.Names {
						if of, is := w.info.Defs[n].(*types.Var); is && n.Name != "_" {
							if why := changes(of.Type()); why != "" {
								w.add(n, of, why)
							}
						}
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				f, is := n.(*ast.FuncLit)
				if is {
					ast.Inspect(f, w.node)
				}
				return !is
			})
		case *ast.FuncDecl:
			if d.Recv != nil || d.Name.Name != "init" {
				ast.Inspect(d, w.node)
			}
		}
	}
}

func (w *globalWalk) add(at ast.Node, v *types.Var, why string) {
	name := v.Pkg().Name() + "." + v.Name()
	if !w.seen[name] {
		w.seen[name] = true
		w.found = append(w.found, global{name, w.files.Position(at.Pos()), why})
	}
}

// node looks for a change.
func (w *globalWalk) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			w.changed(to, "it is assigned")
		}
	case *ast.IncDecStmt:
		w.changed(n.X, "it is assigned")
	case *ast.SendStmt:
		w.changed(n.Chan, "it is sent to")
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.changed(n.X, "its address is taken")
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.changed(n.Key, "it is assigned")
			w.changed(n.Value, "it is assigned")
		}
	case *ast.CallExpr:
		w.call(n)
	}
	return true
}

func (w *globalWalk) call(n *ast.CallExpr) {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if b, is := w.info.Uses[f].(*types.Builtin); is && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
			w.changed(n.Args[0], "its elements change")
		}
	case *ast.SelectorExpr:
		s := w.info.Selections[f]
		if s == nil || s.Kind() != types.MethodVal {
			return
		}
		_, pointer := types.Unalias(s.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
		_, already := types.Unalias(s.Recv()).Underlying().(*types.Pointer)
		if pointer && !already {
			w.changed(f.X, "its "+f.Sel.Name+" is called, which can change it")
		}
	}
}

// changed finds the variable that an expression changes.
func (w *globalWalk) changed(e ast.Expr, why string) {
	for e != nil {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if w.info.Selections[x] == nil {
				e = x.Sel // of a package
			} else {
				e = x.X
			}
		case *ast.Ident:
			if v, is := w.info.Uses[x].(*types.Var); is && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				w.add(x, v, why)
			}
			return
		default:
			return
		}
	}
}

// changes returns why a variable of a type is not a table, or an empty text.
func changes(t types.Type) string {
	if n, is := types.Unalias(t).(*types.Named); is && n.Obj().Pkg() != nil {
		switch path := n.Obj().Pkg().Path(); {
		case path == "sync", path == "sync/atomic":
			return "a " + n.Obj().Pkg().Name() + "." + n.Obj().Name() + " is for what changes"
		case isTable(n):
			return ""
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return "a channel is for what changes"
	case *types.Pointer:
		if n, is := types.Unalias(u.Elem()).(*types.Named); is && isTable(n) {
			return ""
		}
		return fmt.Sprint("a pointer lets others change what it points to: ", t)
	case *types.Struct:
		for f := range u.Fields() {
			if why := changes(f.Type()); why != "" {
				return fmt.Sprintf("its field %s: %s", f.Name(), why)
			}
		}
	}
	return ""
}

func isTable(n *types.Named) bool {
	return n.Obj().Pkg() != nil && slices.Contains(tables, n.Obj().Pkg().Path()+"."+n.Obj().Name())
}
