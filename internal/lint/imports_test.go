// Package lint tests the rules of the source tree itself.
package lint

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dl4go/dl4go/"

// layers lists the packages from the bottom up. A package may import those of lower layers, and its own subtree. The
// longest matching prefix determines a package's layer.
var layers = [][]string{
	{"internal/grace", "internal/cores"},
	{"tensor", "internal/progress", "internal/random", "internal/kernel", "internal/parallel", "internal/checkup",
		"internal/numa",
		"internal/mutate", "internal/campaign", "internal/allocs",
		"internal/await", "internal/near", "internal/need", "internal/reliability", "internal/release",
		"internal/platforms", "internal/coordination",
		"internal/registry", "internal/xla/wire", "internal/xla/plugin", "internal/xla/compiled", "internal/literal",
		"internal/jsonline",
		"internal/joda", "internal/instant", "internal/fingerprint", "internal/decimal", "internal/tracing", "internal/usage",
		"internal/manual", "internal/about", "internal/arguments"},
	{"internal/kernel/vector", "internal/kernel/gemm", "internal/kernel/pool", "internal/kernel/threshold",
		"internal/kernel/pixel"},
	{"internal/kernel/conv", "internal/picture"},
	{"program"},
	{"internal/naive", "internal/programtest"},
	{"internal/xla/client", "internal/xla/pjrt", "internal/xla/faulty"},
	{"internal/cpu", "internal/xla", "internal/xla/device"},
	{"storage", "internal/storagetest"},
	{"dl4j", "internal/lease"},
	{"internal/checkpoint", "internal/onnxfile", "data", "threshold", "internal/npy", "internal/hdf5", "pipeline"},
	{"pipeline/analysis", "internal/parquet", "internal/arrow", "internal/stored"},
	{"data/source", "internal/gradcheck", "internal/rowfile"},
	{"data/records", "internal/flagvalues", "internal/datacheck"},
	{"nn/updater", "nn/weights", "nn/activation", "nn/inputtype"},
	{"nn/regularization", "nn/loss"},
	{"nn/layer"},
	{"nn/vertex", "internal/legacy"},
	{"nn"},
	{"nn/gradtest", "internal/shortnet", "internal/keras", "internal/onnx", "internal/safetensors"},
	{"internal/modelfile", "serve"},
	{"internal/serving"},
	{"eval", "stats"},
	{"engine"},
	{"internal/worker", "internal/enginetest", "internal/results", "internal/console", "internal/cleanup"},
	{"internal/measure", "internal/inspect", "internal/elsewhere"},
	{"internal/slots"},
	{"internal/spark"},
	{"internal/process"},
	{"internal/local", "internal/faulttest", "internal/parts"},
	{"distributed"},
	{"internal/coordination/mesh", "internal/coordination/sim"},
	{"internal/resident"},
	{"internal/doctor", "internal/workplace"},
	{"internal/apply"},
	{"distributed/internal/masters"},
	{"distributed/paramavg", "distributed/sharing"},
	{"distributed/earlystopping"},
	{"train"},
	{"internal/livepage", "internal/trainlog",
		"internal/tensorboard", "internal/mlflow", "internal/metrics", "internal/tune", "internal/transform",
		"internal/prepare"},
	{"internal/report"},
	{"dl4go"},
	{"internal/material"},
	{"examples"},
	{"cmd"},
}

// only lists imports that are allowed only under the given prefixes.
var only = map[string][]string{
	"google.golang.org/grpc": {"internal/spark", "internal/doctor", "internal/coordination/mesh",
		"internal/serving"},
	"github.com/apache/arrow-go": {"internal/spark", "internal/coordination/mesh"},
	module + "internal/kernel": {"internal/kernel", "internal/cpu", "internal/about", "distributed", "internal/doctor",
		"bench", "nn", "serve", "threshold", "internal/picture"},
	module + "internal/kernel/": {"internal/kernel", "internal/cpu", "distributed/paramavg", "distributed/sharing",
		"bench",
		"nn", "serve", "threshold", "internal/picture"},
	module + "internal/naive":       {"program", "nn", "internal/gradcheck"},
	"github.com/spf13":              {"cmd/dl4go", "internal/arguments", "internal/manual", "internal/flagvalues"},
	"go.opentelemetry.io":           {"internal/tracing"},
	"github.com/prometheus":         {"internal/serving", "internal/metrics"},
	"github.com/minio/minio-go":     {"storage/s3"},
	"github.com/colinmarc/hdfs":     {"storage/hdfs"},
	"github.com/jcmturner/gokrb5":   {"storage/hdfs"},
	"github.com/andybalholm/brotli": {"internal/parquet"},
	"github.com/pierrec/lz4":        {"internal/parquet", "internal/arrow"},
	"github.com/ebitengine/purego":  {"internal/xla/pjrt"},
	module + "internal/xla/pjrt":    {"internal/xla/device"},
	module + "internal/xla/device":  {"cmd/dl4go-xla"},
	"unsafe": {"tensor", "internal/kernel", "internal/cpu", "internal/numa", "data",
		"internal/spark/connect/protocol", "internal/serving/protocol", "dl4j", "internal/xla"},
	"os/exec": {"internal/lint", "internal/process", "internal/spark/deploy", "bench", "internal/release",
		"internal/platforms", "internal/numa/guest", "cmd/dl4go", "internal/xla/client", "internal/xla"},
}

type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string // that this machine compiles
	Ignored    []string `json:"IgnoredGoFiles"` // that other systems compile, or other build tags
	Imports    []string // of all of them
}

// sources lists the source files of the package without tests, for every system and every build tag.
func (p pkg) sources() (files []string) {
	for _, name := range slices.Concat(p.GoFiles, p.Ignored) {
		if !strings.HasSuffix(name, "_test.go") && !strings.ContainsAny(name[:1], "_.") {
			files = append(files, name)
		}
	}
	return files
}

// importAll adds the imports of files that this machine does not compile.
func (p *pkg) importAll(t *testing.T) {
	t.Helper()
	for _, name := range p.sources() {
		if slices.Contains(p.GoFiles, name) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if of, err := strconv.Unquote(i.Path.Value); err == nil && !slices.Contains(p.Imports, of) {
				p.Imports = append(p.Imports, of)
			}
		}
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,IgnoredGoFiles,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			t.Fatalf("%v: %s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.importAll(t)
		all = append(all, p)
	}
}

// TestEachFolderIsListed: no source file is out of the reach of the tests of packages because this machine compiles
// none of its folder. Modules of their own are exempt.
func TestEachFolderIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, p := range list(t) {
		name, _ := nameOf(p.ImportPath)
		listed[name] = true
	}
	for _, file := range goFiles(t, func(string) bool { return true }) {
		dir := path.Dir(file)
		if dir == "." {
			dir = "dl4go"
		}
		if !listed[dir] && !strings.Contains(file, "/_gen/") && !under(file, "examples/external") {
			t.Errorf("%s: no package is listed there", file)
		}
	}
}

// TestImportsOfAllSystems: the imports of a package include those of files that this machine does not compile.
func TestImportsOfAllSystems(t *testing.T) {
	for _, p := range list(t) {
		if name, _ := nameOf(p.ImportPath); name == "internal/stored" {
			if others := len(p.sources()) - len(p.GoFiles); others < 1 || !slices.Contains(p.Imports, "os") {
				t.Errorf("%d files of other systems, imports %v", others, p.Imports)
			}
			return
		}
	}
	t.Error("package internal/stored is not listed")
}

// nameOf returns a package's path within the module; the root package is dl4go. ours reports whether the package is
// the module's.
func nameOf(importPath string) (name string, ours bool) {
	if importPath+"/" == module {
		return "dl4go", true
	}
	return strings.CutPrefix(importPath, module)
}

func under(name, prefix string) bool { return name == prefix || strings.HasPrefix(name, prefix+"/") }

func layerOf(name string) int {
	best, at := "", -1
	for i, l := range layers {
		for _, prefix := range l {
			if under(name, prefix) && len(prefix) > len(best) {
				best, at = prefix, i
			}
		}
	}
	return at
}

// TestImportsPointDown holds every package to layers.
func TestImportsPointDown(t *testing.T) {
	for _, p := range list(t) {
		name, _ := nameOf(p.ImportPath)
		if name == "internal/lint" || name == "bench" {
			continue
		}
		at := layerOf(name)
		if at < 0 {
			t.Errorf("package %s is in no layer: add it to layers in this test and to ARCHITECTURE.md", name)
			continue
		}
		for _, imp := range p.Imports {
			dep, ours := nameOf(imp)
			if !ours {
				continue
			}
			if to := layerOf(dep); to > at {
				t.Errorf("%s (layer %d) imports %s (layer %d), which stands above it", name, at, dep, to)
			}
		}
	}
}

// TestArchitecture: ARCHITECTURE.md names every package, by itself or by a folder and "…".
func TestArchitecture(t *testing.T) {
	text := read(t, "../../ARCHITECTURE.md")
	for _, p := range list(t) {
		name, _ := nameOf(p.ImportPath)
		found := strings.Contains(text, "`"+name+"`")
		for dir := name; !found && dir != "."; dir = path.Dir(dir) {
			found = strings.Contains(text, "`"+dir+"/…`")
		}
		if !found {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
}

// TestRestrictedImports holds every package to only.
func TestRestrictedImports(t *testing.T) {
	for _, p := range list(t) {
		name, _ := nameOf(p.ImportPath)
		for _, imp := range p.Imports {
			for restricted, allowed := range only {
				hit := imp == restricted || strings.HasSuffix(restricted, "/") && strings.HasPrefix(imp, restricted) ||
					!strings.HasPrefix(restricted, module) && strings.HasPrefix(imp, restricted+"/")
				if hit && !slices.ContainsFunc(allowed, func(prefix string) bool { return under(name, prefix) }) {
					t.Errorf("%s imports %s, which only %v may", name, imp, allowed)
				}
			}
		}
	}
}

// TestLayersKnowOperationsOnly keeps executors and kernels out of layers, so that another executor needs no change
// there.
func TestLayersKnowOperationsOnly(t *testing.T) {
	for _, p := range list(t) {
		name, _ := nameOf(p.ImportPath)
		if !strings.HasPrefix(name, "nn/") {
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module+"program/") || strings.HasPrefix(imp, module+"internal/kernel") ||
				imp == module+"internal/naive" || imp == module+"internal/cpu" ||
				strings.HasPrefix(imp, module+"internal/parallel") {
				t.Errorf("%s imports %s: layers are written against program.Builder only", name, imp)
			}
		}
	}
}
