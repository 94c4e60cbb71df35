package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is a package as go list prints it, after the packages that it imports.
type listed struct {
	ImportPath, Name, Dir     string
	GoFiles, CgoFiles, SFiles []string
	ImportMap                 map[string]string
	DepOnly                   bool
	Module                    *struct{ GoVersion string }
}

// check checks the packages of a folder and their imports for a platform, and returns the number of the packages. It
// reports all errors.
func check(ctx context.Context, dir, system, arch string, patterns []string) (n int, err error) {
	all, err := list(ctx, dir, system, arch, patterns)
	if err != nil {
		return 0, err
	}
	c := checker{files: token.NewFileSet(), known: map[string]*types.Package{"unsafe": types.Unsafe},
		sizes: types.SizesFor("gc", arch)}
	if c.sizes == nil {
		return 0, fmt.Errorf("the compiler has no architecture %s", arch)
	}
	for _, p := range all {
		if p.ImportPath == "unsafe" {
			continue
		}
		if e := c.check(p); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", p.ImportPath, e))
		}
		if !p.DepOnly {
			n++
		}
	}
	return n, err
}

func list(ctx context.Context, dir, system, arch string, patterns []string) ([]listed, error) {
	const fields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,SFiles,ImportMap,DepOnly,Module"
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", fields}, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

type checker struct {
	files *token.FileSet
	known map[string]*types.Package
	sizes types.Sizes
}

// check checks a package whose imports are known. For packages that are only imported, it checks the declarations only.
func (c *checker) check(p listed) error {
	var files []*ast.File
	var all error
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		all = errors.Join(all, err)
		files = append(files, f)
	}
	if all != nil {
		return all
	}
	conf := types.Config{Importer: importer{c, p}, Sizes: c.sizes, IgnoreFuncBodies: p.DepOnly, FakeImportC: true,
		Error: func(err error) { all = errors.Join(all, err) }}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	c.known[p.ImportPath], _ = conf.Check(p.ImportPath, c.files, files, nil) // Error has its errors
	if len(p.SFiles) == 0 && !p.DepOnly {
		all = errors.Join(all, c.bodies(files))
	}
	return all
}

// bodies finds functions without a body in a package without assembly.
func (c *checker) bodies(files []*ast.File) (all error) {
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
				all = errors.Join(all, fmt.Errorf("%s: missing function body", c.files.Position(fn.Pos())))
			}
		}
	}
	return all
}

// importer finds the imports of a package among the packages before it.
type importer struct {
	*checker
	of listed
}

func (i importer) Import(path string) (*types.Package, error) {
	if full, ok := i.of.ImportMap[path]; ok {
		path = full
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("go list names no package %s", path)
}
