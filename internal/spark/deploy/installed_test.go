package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/worker"
)

// TestInstalled checks that a file installed on the executors is started in place and not sent.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dl4go-1.0+x@y")
	p := program(t, Options{Binaries: map[string]string{Own().String(): "file://" + path}}, ownMachine())
	files, there, err := p.find(t.Context())
	if err != nil || len(files) != 0 || len(there) != 1 || there[ownMachine()] != path {
		t.Fatalf("sent are %v, there are %v, %v", files, there, err)
	}
	p.there = there
	launch := func() (string, string, error) {
		if err := os.MkdirAll(filepath.Join(dir, "session"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "session", p.launcher()), []byte(p.script()), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", p.Command("text/1"))
		cmd.Dir, cmd.Stdin = dir, strings.NewReader("7\t0\t0\tj\t0\tdata\n")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		return out.String(), errs.String(), err
	}
	_, said, err := launch()
	if f, ok := worker.ParseCause(said); err == nil || !ok || !strings.Contains(f.Cause, "has no file "+path) {
		t.Errorf("without the file: %v, %s", err, said)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho $DL4GO_WORKER\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, said, err := launch(); err != nil || out != "text/1\n" {
		t.Errorf("with the file: %q, %v, %s", out, err, said)
	}
}

// TestCompared checks that workers report their build if this program did not send it.
func TestCompared(t *testing.T) {
	p := program(t, Options{}, ownMachine())
	if got := p.Compared(); got != "" {
		t.Errorf("of a file that was sent: %q", got)
	}
	p.there = map[string]string{ownMachine(): "/opt/dl4go"}
	if got := p.Compared(); got != p.Build() {
		t.Errorf("of a file that was there: %q", got)
	}
	p.machines["Linux-s390x"] = []string{"other"}
	if got := p.Compared(); got != "" {
		t.Errorf("where machines differ: %q", got)
	}
}
