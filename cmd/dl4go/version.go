package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/dl4go/dl4go/internal/kernel"
)

// version describes this program: its module's version, the commit that it was built from, Go's version, and the
// kernels that this machine can run, the best one last.
func version() string {
	module, commit := "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			module = info.Main.Version
		}
		dirty := ""
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				if s.Value == "true" {
					dirty = ", modified"
				}
			}
		}
		commit += dirty
	}
	var kernels []string
	for _, v := range kernel.Available() {
		kernels = append(kernels, v.String())
	}
	return fmt.Sprintf("dl4go %s\ncommit %s\n%s %s/%s\nkernels %s\n",
		module, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(kernels, ", "))
}
