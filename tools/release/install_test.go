//go:build install

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	xmod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestInstall: go install PATH@latest builds dl4go from the module as a proxy gives it away: without replacements, and
// with the files that a module's zip may have only. The binary names the version.
func TestInstall(t *testing.T) {
	const path, version = "github.com/dl4go/dl4go", "v0.9.0"
	proxy, bin := t.TempDir(), t.TempDir()
	dir := filepath.Join(proxy, path, "@v")
	mod, err := os.ReadFile("../../go.mod")
	if err := errors.Join(err, os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	source, err := settings{source: "../..", commit: "HEAD"}.clone(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	err = zip.CreateFromVCS(out, xmod.Version{Path: path, Version: version}, source, "HEAD", "")
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": string(mod),
		version + ".info": fmt.Sprintf(`{"Version": %q, "Time": "2026-11-20T10:00:00Z"}`, version)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "install", path+"/cmd/dl4go@latest")
	cmd.Dir = bin
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "CGO_ENABLED=0", "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off",
		"GOMODCACHE="+t.TempDir(), "GOPROXY=file://"+proxy+",file://"+strings.TrimSpace(string(cache))+"/cache/download")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := exec.Command(filepath.Join(bin, "dl4go"), "--version").Output()
	if err != nil || !strings.Contains(string(got), "dl4go "+version+"\n") {
		t.Errorf("--version: %s, %v", got, err)
	}
}
