package deploy

import (
	"fmt"
	"runtime"
	"strings"
)

// Platform is a kind of machine, as Go names it.
type Platform struct{ OS, Arch string }

// Own is this program's platform.
func Own() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

// ParsePlatform parses the result of String.
func ParsePlatform(s string) (Platform, error) {
	os, arch, ok := strings.Cut(s, "/")
	if p := (Platform{os, arch}); ok && p.machine() != "" {
		return p, nil
	}
	return Platform{}, fmt.Errorf("platform %q: wanted a system and an architecture, such as linux/arm64 or linux/amd64",
		s)
}

// String returns, for example, linux/arm64.
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// systems and hardware map Go's names to those of uname -s and uname -m. An artifact's name has the first one.
var (
	systems  = map[string][]string{"linux": {"Linux"}, "darwin": {"Darwin"}, "freebsd": {"FreeBSD"}}
	hardware = map[string][]string{
		"amd64": {"x86_64", "amd64"}, "arm64": {"aarch64", "arm64"}, "386": {"i686", "i386"}, "arm": {"armv7l"},
		"ppc64le": {"ppc64le"}, "s390x": {"s390x"}, "riscv64": {"riscv64"}, "loong64": {"loongarch64"},
	}
)

// machine returns the most common name of such machines: Linux-x86_64; empty if no executor runs on them.
func (p Platform) machine() string {
	if len(systems[p.OS]) == 0 || len(hardware[p.Arch]) == 0 {
		return ""
	}
	return systems[p.OS][0] + "-" + hardware[p.Arch][0]
}

// platformOf returns the platform of a machine name, such as Linux-x86_64.
func platformOf(machine string) (Platform, bool) {
	system, hard, _ := strings.Cut(machine, "-")
	for os, names := range systems {
		for arch, kinds := range hardware {
			if contains(names, system) && contains(kinds, hard) {
				return Platform{os, arch}, true
			}
		}
	}
	return Platform{}, false
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if strings.EqualFold(l, s) {
			return true
		}
	}
	return false
}
