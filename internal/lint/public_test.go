package lint

import (
	"strings"
	"testing"
)

// most is the maximum number of public packages. Each is a promise to users: lower the number when one goes, and raise
// it only for a package that users ask for.
const most = 32

// TestPublicPackages counts the packages that other modules can import, without commands, examples and packages of
// only tests.
func TestPublicPackages(t *testing.T) {
	public := public(list(t))
	if len(public) > most {
		t.Errorf("%d public packages, at most %d are wanted: put what only our packages need under internal/. They are\n\t%s",
			len(public), most, strings.Join(public, "\n\t"))
	}
	if len(public) < most {
		t.Errorf("%d public packages: lower the limit, which is %d, so that it holds them", len(public), most)
	}
}

// public names those of the packages that other modules can import.
func public(all []pkg) (names []string) {
	for _, p := range all {
		name, _ := nameOf(p.ImportPath)
		if p.Name != "main" && len(p.GoFiles) > 0 && !isInternal(name) && !under(name, "examples") {
			names = append(names, name)
		}
	}
	return names
}

// TestPublicIsTold: the test above counts the right packages.
func TestPublicIsTold(t *testing.T) {
	code := []string{"a.go"}
	got := public([]pkg{
		{ImportPath: strings.TrimSuffix(module, "/"), Name: "dl4go", GoFiles: code},
		{ImportPath: module + "nn", Name: "nn", GoFiles: code},
		{ImportPath: module + "internal/lint", Name: "lint", GoFiles: code},
		{ImportPath: module + "nn/internal/x", Name: "x", GoFiles: code},
		{ImportPath: module + "internals", Name: "internals", GoFiles: code},
		{ImportPath: module + "cmd/dl4go", Name: "main", GoFiles: code},
		{ImportPath: module + "examples/migration", Name: "migration", GoFiles: code},
		{ImportPath: module + "tested", Name: "tested"},
	})
	if strings.Join(got, " ") != "dl4go nn internals" {
		t.Errorf("public: %q", got)
	}
}
