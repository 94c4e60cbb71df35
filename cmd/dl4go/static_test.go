//go:build linux && !cgo

package main

import (
	"debug/elf"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// dl4go is linked statically: it names no loader, and has no module that loads libraries. Only dl4go-xla has one.
func TestStatic(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is loaded by the system's loader")
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	for _, d := range info.Deps {
		if strings.Contains(d.Path, "purego") {
			t.Errorf("%s is linked", d.Path)
		}
	}
}
