package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// compiled is a package in the compiler's export data.
type compiled struct {
	ImportPath, Name, Export, Dir string
	GoFiles                       []string
	DepOnly                       bool
}

func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// compile builds the named packages and their imports. It uses no flags that change the result, so the compiler's cache
// already has it from building the tests.
func compile(t *testing.T, names ...string) []compiled {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Name,Export,Dir,GoFiles,DepOnly"}
	cmd := exec.Command("go", append(args, names...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var all []compiled
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p compiled
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestNoInternalTypes walks every exported identifier of every public package, through aliases, type arguments and
// promoted members. No signature may name a type of an internal package, since other modules cannot write such a type.
func TestNoInternalTypes(t *testing.T) {
	var public []string
	for _, p := range list(t) {
		if p.Name != "main" && !isInternal(p.ImportPath) {
			public = append(public, p.ImportPath)
		}
	}
	for _, l := range leaks(t, public...) {
		t.Error(l)
	}
}

// TestLeaksAreFound: the walk finds each kind of leak in a package that has them all.
func TestLeaksAreFound(t *testing.T) {
	want := strings.Fields(read(t, "testdata/leaks/want.txt"))
	var got []string
	for _, l := range leaks(t, "./testdata/leaks") {
		name, _, _ := strings.Cut(strings.TrimPrefix(l, module+"internal/lint/testdata/leaks."), ":")
		got = append(got, name)
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// leaks lists the places where the packages name internal types.
func leaks(t *testing.T, names ...string) []string {
	t.Helper()
	all := compile(t, names...)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var found []string
	for _, p := range all {
		if p.DepOnly || p.Export == "" {
			continue
		}
		pkg, err := from.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		w := &walk{pkg: pkg, seen: map[types.Type]bool{}}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				w.object(pkg.Path()+"."+name, o)
			}
		}
		found = append(append(found, w.found...), definitions(t, p)...)
	}
	return found
}

// walk looks for internal types in one package.
type walk struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	found []string
}

func (w *walk) object(at string, o types.Object) {
	name, is := o.(*types.TypeName)
	if !is {
		w.see(at, o.Type())
		return
	}
	switch t := o.Type().(type) {
	case *types.Alias:
		w.params(at, t.TypeParams())
		w.see(at, t.Rhs())
	case *types.Named:
		w.define(at, t)
	default:
		w.see(at, name.Type())
	}
}

// define walks the visible parts of a type of this package: its type parameters, its members and its methods.
func (w *walk) define(at string, t *types.Named) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	w.params(at, t.TypeParams())
	w.see(at, t.Underlying())
	w.methods(at, t)
}

// methods walks the exported methods of a type and of its pointer, including those of embedded types.
func (w *walk) methods(at string, t types.Type) {
	if types.IsInterface(t) {
		return
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() {
			w.see(at+"."+m.Obj().Name(), m.Obj().Type())
		}
	}
}

func (w *walk) params(at string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		w.see(at+"["+p.Obj().Name()+"]", p.Constraint())
	}
}

// see walks a type in a signature.
func (w *walk) see(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		w.name(at, t.Obj())
		w.arguments(at, t.TypeArgs())
		w.see(at, types.Unalias(t))
	case *types.Named:
		w.name(at, t.Obj())
		w.arguments(at, t.TypeArgs())
		if t.Obj().Pkg() == w.pkg && !t.Obj().Exported() { // its members are reachable nevertheless
			w.define(at, t.Origin())
		}
	case *types.Pointer:
		w.see(at, t.Elem())
	case *types.Slice:
		w.see(at, t.Elem())
	case *types.Array:
		w.see(at, t.Elem())
	case *types.Chan:
		w.see(at, t.Elem())
	case *types.Map:
		w.see(at, t.Key())
		w.see(at, t.Elem())
	case *types.Signature:
		w.params(at, t.TypeParams())
		w.see(at, t.Params())
		w.see(at, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.see(at, v.Type())
		}
	case *types.Struct:
		w.fields(at, t)
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.see(at+"."+m.Name(), m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			w.see(at, e)
		}
	case *types.Union:
		for term := range t.Terms() {
			w.see(at, term.Type())
		}
	}
}

// fields walks the exported fields and the types of anonymous fields.
func (w *walk) fields(at string, t *types.Struct) {
	for f := range t.Fields() {
		if f.Exported() || f.Embedded() {
			w.see(at+"."+f.Name(), f.Type())
		}
	}
}

func (w *walk) arguments(at string, list *types.TypeList) {
	for t := range list.Types() {
		w.see(at, t)
	}
}

func (w *walk) name(at string, o *types.TypeName) {
	if p := o.Pkg(); p != nil && strings.HasPrefix(p.Path(), module) && p != w.pkg && isInternal(p.Path()) {
		w.found = append(w.found, fmt.Sprintf("%s: mentions %s.%s, which no other module can", at, p.Path(), o.Name()))
	}
}

// definitions finds "type Name internal.Type": the compiler keeps only the fields of the right side.
func definitions(t *testing.T, p compiled) (found []string) {
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imports := map[string]string{}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			local := path[strings.LastIndex(path, "/")+1:]
			if i.Name != nil {
				local = i.Name.Name
			}
			imports[local] = path
		}
		for _, d := range f.Decls {
			g, is := d.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, s := range g.Specs {
				s, is := s.(*ast.TypeSpec)
				if !is || !s.Name.IsExported() {
					continue
				}
				if sel, is := s.Type.(*ast.SelectorExpr); is {
					if path := imports[fmt.Sprint(sel.X)]; strings.HasPrefix(path, module) && isInternal(path) {
						found = append(found, fmt.Sprintf("%s.%s: is defined by %s.%s, which no other module can see",
							p.ImportPath, s.Name, path, sel.Sel))
					}
				}
			}
		}
	}
	return found
}
