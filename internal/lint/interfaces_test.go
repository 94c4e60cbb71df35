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
	"testing"
)

// mostMethods is the maximum number of methods of an interface, including embedded ones. A larger interface is hard to
// implement and says little about the functions that take it.
const mostMethods = 12

// TestSmallInterfaces counts the methods of every interface, for exported ones including those of embedded interfaces.
func TestSmallInterfaces(t *testing.T) {
	var names []string
	for _, p := range list(t) {
		if len(p.GoFiles) > 0 {
			names = append(names, p.ImportPath)
		}
		ownMethods(t, p)
	}
	all := compile(t, names...)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range all {
		if p.DepOnly {
			continue
		}
		if p.Name == "main" || p.Export == "" {
			continue
		}
		pkg, err := from.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			o, is := pkg.Scope().Lookup(name).(*types.TypeName)
			if !is {
				continue
			}
			if i, is := o.Type().Underlying().(*types.Interface); is && i.NumMethods() > mostMethods {
				t.Errorf("%s.%s has %d methods, and at most %d are wanted: split it by what its users need", p.ImportPath, name,
					i.NumMethods(), mostMethods)
			}
		}
	}
}

// ownMethods counts the methods that the interfaces of a package list themselves, and those of the package's interfaces
// that they embed, for all systems.
func ownMethods(t *testing.T, p pkg) {
	t.Helper()
	files := token.NewFileSet()
	named, all := map[string]*ast.InterfaceType{}, []*ast.InterfaceType{}
	for _, name := range p.sources() {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if i, is := n.Type.(*ast.InterfaceType); is {
					named[n.Name.Name] = i
				}
			case *ast.InterfaceType:
				all = append(all, n)
			}
			return true
		})
	}
	for _, i := range all {
		if n := listed(i, named); n > mostMethods {
			t.Errorf("%v: an interface of %d methods, and at most %d are wanted", files.Position(i.Pos()), n, mostMethods)
		}
	}
}

// listed counts the methods of an interface, with those of interfaces that it embeds.
func listed(i *ast.InterfaceType, named map[string]*ast.InterfaceType) (n int) {
	for _, f := range i.Methods.List {
		n += len(f.Names)
		if of, is := f.Type.(*ast.Ident); is && len(f.Names) == 0 && named[of.Name] != nil && named[of.Name] != i {
			n += listed(named[of.Name], named)
		}
	}
	return n
}
