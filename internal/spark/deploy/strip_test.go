package deploy

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

func contents(t *testing.T, a connect.Artifact) []byte {
	t.Helper()
	r, err := a.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil || int64(len(b)) != a.Size {
		t.Fatalf("an artifact of %d bytes has %d, %v", a.Size, len(b), err)
	}
	return b
}

// TestProgramFile checks that a program is sent to executors without symbols and debug data, and runs. Other files are
// sent whole.
func TestProgramFile(t *testing.T) {
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"it runs\") }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, platform := range []Platform{{"linux", runtime.GOARCH}} {
		path := filepath.Join(t.TempDir(), "program")
		build := exec.Command("go", "build", "-o", path, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Arch)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := programFile("files/program", path)
		if err != nil {
			t.Fatal(err)
		}
		b := contents(t, a)
		if len(b) > len(whole)*3/4 || len(b) < len(whole)/4 || !bytes.Equal(b[elfHeader:], whole[elfHeader:len(b)]) {
			t.Errorf("%s: %d of %d bytes are sent", platform, len(b), len(whole))
		}
		f, err := elf.NewFile(bytes.NewReader(b))
		if err != nil || len(f.Sections) != 0 || len(f.Progs) < 3 {
			t.Fatalf("%s: what is sent is no program: %v", platform, err)
		}
		if platform != Own() {
			continue
		}
		small := path + "-small"
		if err := os.WriteFile(small, b, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(small).CombinedOutput(); err != nil || string(out) != "it runs\n" {
			t.Errorf("it says %q, %v", out, err)
		}
		again, err := programFile("files/program", small)
		if err != nil || !bytes.Equal(contents(t, again), b) {
			t.Errorf("a file without symbols does not stay as it is: %v", err)
		}
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if a, err := programFile("files/other", other); err != nil || string(contents(t, a)) != "#!/bin/sh\n" {
		t.Errorf("a script does not stay as it is: %v", err)
	}
}
