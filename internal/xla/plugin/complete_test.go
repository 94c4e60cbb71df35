package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every library that a plugin's directory lacks is named with its package.
func TestMissingLibraries(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "cuda13", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := func(project, text string) {
		t.Helper()
		for _, w := range Wheels("cuda13") {
			if w.Project == project {
				part := strings.SplitN(w.File, "-", 3)
				put(part[0]+"-"+part[1]+".dist-info/RECORD", text)
				return
			}
		}
		t.Fatalf("no wheel of %s", project)
	}
	check := func(want ...string) {
		t.Helper()
		p, err := Find("cuda13", dir)
		if len(want) == 0 && (err != nil || p.Kind != "cuda13") {
			t.Errorf("all there: %+v, %v", p, err)
		}
		for _, want := range want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	check("the plugin cuda13 is not installed")
	put(library("cuda13"), "ELF")
	check() // without lists, as in an image of one's own
	list("nvidia-cudnn-cu13", "nvidia/cudnn/lib/libcudnn.so.9,sha256=x,5\nnvidia/cudnn/include/cudnn.h,sha256=y,7\n"+
		"nvidia/cudnn/lib/libcudnn_ops.so.9,sha256=x,3\n\"odd,so\",,\n")
	list("jax-cuda13-pjrt", filepath.ToSlash(library("cuda13"))+",sha256=z,4\n")
	check("lacks xla_cuda_plugin.so (it has 3 of 4 bytes) of the package jax-cuda13-pjrt",
		"libcudnn.so.9 of the package nvidia-cudnn-cu13, libcudnn_ops.so.9 of the package nvidia-cudnn-cu13",
		"run dl4go device install cuda13 again")
	put("nvidia/cudnn/lib/libcudnn.so.9", "12345")
	put("nvidia/cudnn/lib/libcudnn_ops.so.9", "123")
	put(library("cuda13"), "ELF4")
	check()
}
