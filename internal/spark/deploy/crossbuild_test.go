package deploy

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/need"
)

// hello makes a module, builds its program as a user would, and returns a builder with the facts that crossBuild would
// have.
func hello(t *testing.T, args ...string) (b *builder, dir string) {
	t.Helper()
	t.Setenv("GOENV", "off") // only the test sets flags
	t.Setenv("GOFLAGS", "")
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/hello\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"),
		"package main\n\nfunc main() { println(greeting) }\n\nconst greeting = `hello`\n")
	path := filepath.Join(t.TempDir(), "hello")
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "PATH", path)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return &builder{info: info, build: hex.EncodeToString(sum[:]), dirs: []string{filepath.Dir(path), dir},
		cache: filepath.Join(t.TempDir(), "cache"), log: quiet}, dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestCrossBuild(t *testing.T) {
	need.Time(t, "it compiles the standard library for another platform")
	for name, args := range map[string][]string{
		"go build":   {"build", "-o", "PATH", "-trimpath", "-tags", "some,more", "."},
		"with flags": {"build", "-o", "PATH", "-ldflags", "-s -X main.x=1", "example.com/hello"},
		"go run":     {"run", "-exec", "cp", ".", "PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			b, dir := hello(t, args...)
			p := Platform{"linux", "arm64"}
			path, err := b.program(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			info, err := buildinfo.ReadFile(path)
			if err != nil || setting(info, "GOARCH") != "arm64" || setting(info, "CGO_ENABLED") != "0" ||
				setting(info, "-tags") != setting(b.info, "-tags") {
				t.Errorf("%v, %v", info, err)
			}
			// A built program is found again, even after its source is gone. For a changed source there is none.
			write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { println(1) }\n")
			if again, err := b.program(t.Context(), p); err != nil || again != path {
				t.Errorf("%s, %v", again, err)
			}
			if _, err = b.program(t.Context(), Platform{"linux", "386"}); err == nil ||
				!strings.Contains(err.Error(), "example.com/hello does not give this program") {
				t.Errorf("a changed source: %v", err)
			}
			if files, err := os.ReadDir(b.cache); err != nil || len(files) != 1 {
				t.Errorf("in the cache: %v, %v", files, err)
			}
		})
	}
}

func TestNoCrossBuild(t *testing.T) {
	b, dir := hello(t, "build", "-o", "PATH", ".")
	other := *b.info
	other.GoVersion = "go1.20"
	for name, c := range map[string]struct {
		b    builder
		want string
	}{
		"no source": {builder{info: b.info, dirs: []string{t.TempDir()}},
			"package example.com/hello, is in no module around"},
		"another toolchain": {builder{info: &other, dirs: []string{dir}},
			"it was built by go1.20, and the toolchain here is go1."},
	} {
		c.b.cache, c.b.log = t.TempDir(), quiet
		if _, err := c.b.program(t.Context(), Platform{"linux", "arm64"}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := b.program(t.Context(), Platform{"linux", "arm64"}); err == nil ||
		!strings.Contains(err.Error(), "no Go toolchain") {
		t.Errorf("no toolchain: %v", err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		write(t, filepath.Join(dir, string(rune('a'+i))), "")
	}
	if err := os.MkdirAll(filepath.Join(dir, building+"1", "made"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		later time.Duration
		files int
	}{{time.Minute, kept + 1}, {2 * time.Hour, kept}} {
		prune(dir, time.Now().Add(c.later))
		if files, err := os.ReadDir(dir); err != nil || len(files) != c.files {
			t.Errorf("%v later: %v, %v", c.later, files, err)
		}
	}
}
