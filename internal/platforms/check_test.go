package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module returns the folder of a module with these files.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.org/m\n\ngo 1.26.0\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCheck: errors that go build reports on one platform only are found there, with their place, and nowhere else.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		at         string // the platform
		says       string
	}{
		"a type of another platform": {"a_windows.go", "package m\n\nvar _ int64 = f()\n", "windows/amd64",
			"a_windows.go:3:15: cannot use f()"},
		"an overflow":     {"a_arm.go", "package m\n\nvar _ int = 1 << 40\n", "linux/arm", "a_arm.go:3:13: "},
		"in a function":   {"a_darwin.go", "package m\n\nfunc g() { undefined() }\n", "darwin/arm64", "undefined: undefined"},
		"an import":       {"a_darwin.go", "package m\n\nimport \"os\"\n", "darwin/arm64", `"os" imported and not used`},
		"no such package": {"a_windows.go", "package m\n\nimport _ \"syscall/none\"\n", "windows/amd64", "syscall/none"},
		"a missing body":  {"a_arm64.go", "package m\n\nfunc g()\n", "darwin/arm64", "a_arm64.go:3:1: missing function body"},
		"syntax":          {"a_windows.go", "package m\n\nfunc {\n", "windows/amd64", "a_windows.go:3:6: expected"},
		"a type twice":    {"a_darwin.go", "package m\n\nfunc f() int { return 2 }\n", "darwin/arm64", "f redeclared"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, map[string]string{"m.go": "package m\n\nfunc f() int { return 1 }\n", c.file: c.text,
				"sub/s.go": "package sub\n\nimport _ \"example.org/m\"\n"})
			for _, at := range []string{c.at, "linux/amd64"} {
				system, arch, _ := strings.Cut(at, "/")
				n, err := check(t.Context(), dir, system, arch, []string{"./..."})
				switch {
				case at != c.at && (err != nil || n != 2):
					t.Errorf("on %s there are %d packages, error %v", at, n, err)
				case at == c.at && (err == nil || !strings.Contains(err.Error(), c.says)):
					t.Errorf("the error is %v, without %q", err, c.says)
				}
			}
		})
	}
}

// TestAssembly: a function without a body is allowed in a package with assembly.
func TestAssembly(t *testing.T) {
	dir := module(t, map[string]string{"m.go": "package m\n\nfunc f()\n", "m_amd64.s": "TEXT ·f(SB), 4, $0\n\tRET\n"})
	if n, err := check(t.Context(), dir, "windows", "amd64", []string{"."}); n != 1 || err != nil {
		t.Errorf("%d packages, error %v", n, err)
	}
	if _, err := check(t.Context(), dir, "windows", "arm64", []string{"."}); err == nil {
		t.Error("a function that has neither a body nor assembly is accepted")
	}
}

func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{"wanted platforms and packages": {"linux/amd64"},
		"linux is not a platform": {"linux", "."}, "on linux/none:": {"linux/none", "fmt"}} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives the error %v, without %q", args, err, want)
		}
	}
}
