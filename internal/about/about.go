// Package about says what this program is.
package about

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/dl4go/dl4go/internal/kernel"
)

// Version returns the version of the program's module: (devel) if it has none.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Program describes the program: the version of its module, the commit that it was built from, Go's version, and the
// kernels that this machine can run, the best one last.
func Program() string {
	commit, dirty := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = ", modified"
			}
		}
	}
	return fmt.Sprintf("dl4go %s\ncommit %s%s\n%s %s/%s\nkernels %s\n", Version(), commit, dirty, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, strings.Join(Kernels(), ", "))
}

// Kernels lists the kernels that this machine can run, the best one last. amx is for products of bfloat16 only.
func Kernels() (names []string) {
	for _, v := range kernel.Available() {
		names = append(names, v.String())
	}
	if kernel.HasAMX() {
		names = append(names, "amx")
	}
	return names
}
