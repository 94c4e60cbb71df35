package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// tree has the exported names of the module: "paramavg.Config.NumWorkers". A package is named by the last part of its
// path.
type tree map[string]bool

// declarations reads the packages of the tree, except commands, examples and internal packages.
func declarations(t *testing.T) tree {
	t.Helper()
	all, aliases := tree{}, map[string][]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			out := []string{"internal", "cmd", "examples", "testdata"}
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || slices.Contains(out, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all[f.Name.Name] = true
		for _, d := range f.Decls {
			all.declare(f.Name.Name, d, aliases)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]string{} // by type
	for name := range all {
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			members[name[:i]] = append(members[name[:i]], name[i+1:])
		}
	}
	for name := range aliases {
		all.inherit(name, name, aliases, members)
	}
	return all
}

// inherit adds to a type the members of the types that it is an alias of or embeds, at any depth.
func (all tree) inherit(name, of string, aliases, members map[string][]string) {
	for _, within := range aliases[of] {
		if within == name || within == of {
			continue
		}
		for _, member := range members[within] {
			all[name+"."+member] = true
		}
		all.inherit(name, within, aliases, members)
	}
}

func (all tree) declare(pkg string, d ast.Decl, aliases map[string][]string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			all[pkg+"."+d.Name.Name] = true
		} else if of := named(pkg, d.Recv.List[0].Type); of != "" {
			all[of+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					all[pkg+"."+n.Name] = true
				}
			case *ast.TypeSpec:
				all[pkg+"."+s.Name.Name] = true
				if s.Assign.IsValid() {
					aliases[pkg+"."+s.Name.Name] = append(aliases[pkg+"."+s.Name.Name], named(pkg, s.Type))
				}
				all.members(pkg, pkg+"."+s.Name.Name, s.Type, aliases)
			}
		}
	}
}

// members adds the fields of a struct and the methods of an interface.
func (all tree) members(pkg, of string, t ast.Expr, aliases map[string][]string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			all[of+"."+n.Name] = true
		}
		if within := named(pkg, f.Type); len(f.Names) == 0 && within != "" {
			aliases[of] = append(aliases[of], within)
		}
	}
}

// named returns the type's name with its package, without pointer and type arguments.
func named(pkg string, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return named(pkg, t.X)
	case *ast.IndexExpr:
		return named(pkg, t.X)
	case *ast.Ident:
		return pkg + "." + t.Name
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return x.Name + "." + t.Sel.Name
		}
	}
	return ""
}

// exported reports whether a name should be looked up: it begins with a package, or with a capital.
func (all tree) exported(name string) bool {
	first, rest, more := strings.Cut(name, ".")
	if more && all[first] {
		return unicode.IsUpper(rune(rest[0]))
	}
	return unicode.IsUpper(rune(first[0])) && strings.ToUpper(first) != first
}

// has reports whether a name exists, either as it is or in one of the packages and types of scope.
func (all tree) has(name string, scope []string) bool {
	if all[name] {
		return true
	}
	for _, s := range scope {
		if all[s+"."+name] {
			return true
		}
	}
	return false
}
