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
		for _, file := range p.GoFiles {
			ownMethods(t, filepath.Join(p.Dir, file))
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

// ownMethods counts the methods that the interfaces in a file list themselves.
func ownMethods(t *testing.T, path string) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if i, is := n.(*ast.InterfaceType); is && i.Methods.NumFields() > mostMethods {
			t.Errorf("%v: an interface of %d methods, and at most %d are wanted", files.Position(i.Pos()), i.Methods.NumFields(),
				mostMethods)
		}
		return true
	})
}
