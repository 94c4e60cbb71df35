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

// ParsePlatform reads what String writes.
func ParsePlatform(s string) (Platform, error) {
	os, arch, ok := strings.Cut(s, "/")
	if p := (Platform{os, arch}); ok && p.machine() != "" {
		return p, nil
	}
	return Platform{}, fmt.Errorf("platform %q: wanted a system and an architecture, such as linux/arm64 or linux/amd64",
		s)
}

// String is such as linux/arm64.
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// systems and hardware are what uname -s and uname -m say, by Go's name. The first one names an artifact.
var (
	systems  = map[string][]string{"linux": {"Linux"}, "darwin": {"Darwin"}, "freebsd": {"FreeBSD"}}
	hardware = map[string][]string{
		"amd64": {"x86_64", "amd64"}, "arm64": {"aarch64", "arm64"}, "386": {"i686", "i386"}, "arm": {"armv7l"},
		"ppc64le": {"ppc64le"}, "s390x": {"s390x"}, "riscv64": {"riscv64"}, "loong64": {"loongarch64"},
	}
)

// machine is what such machines call themselves most often: Linux-x86_64; empty where no executor is one.
func (p Platform) machine() string {
	if len(systems[p.OS]) == 0 || len(hardware[p.Arch]) == 0 {
		return ""
	}
	return systems[p.OS][0] + "-" + hardware[p.Arch][0]
}

// platformOf is the platform of a machine that calls itself that, such as Linux-x86_64.
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
