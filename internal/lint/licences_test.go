package lint

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLicences: each module that is linked on some platform is in docs/licences.md.
func TestLicences(t *testing.T) {
	text, err := os.ReadFile("../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/dl4go")
		list.Dir, list.Env = "../..", append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		modules := strings.Fields(string(out))
		slices.Sort(modules)
		modules = slices.DeleteFunc(slices.Compact(modules), func(m string) bool { return m+"/" == module })
		if len(modules) < 10 {
			t.Errorf("%s: only %d modules are linked", system, len(modules))
		}
		for _, m := range modules {
			if !strings.Contains(string(text), "`"+m+"`") {
				t.Errorf("%s is linked on %s, and is not in docs/licences.md", m, system)
			}
		}
	}
}
