package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoTemplates keeps the packages of templates out of the released program: they look for methods by name, so that
// the linker would keep the methods of all types, a seventh of the program. Cobra imports one of them, but only its
// methods that set templates reach it.
func TestNoTemplates(t *testing.T) {
	t.Parallel()
	const format = "{{$at := .ImportPath}}{{range .Imports}}{{$at}} {{.}}\n{{end}}"
	out, err := exec.Command("go", "list", "-deps", "-tags", "grpcnotrace", "-f", format, "../../cmd/dl4go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		at, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (to == "text/template" || to == "html/template") && at != "github.com/spf13/cobra" && at != "html/template" {
			t.Errorf("%s imports %s, which makes the program larger: write the text without it", at, to)
		}
	}
	files, err := filepath.Glob("../../cmd/dl4go/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []string{"SetHelpTemplate(", "SetUsageTemplate(", "SetVersionTemplate("} {
			if strings.Contains(string(text), set) {
				t.Errorf("%s calls %s), which links templates", file, set)
			}
		}
	}
}
