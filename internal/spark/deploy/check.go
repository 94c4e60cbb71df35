package deploy

import (
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
)

// Check fails unless a file is this program, of this version, for a platform, as far as Go's build information tells.
func Check(path string, p Platform) error {
	its, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the worker program %s for %s is no Go program: %w", path, p, err)
	}
	if got := (Platform{setting(its, "GOOS"), setting(its, "GOARCH")}); got != p {
		return fmt.Errorf("the worker program %s is for %s, and was named for %s", path, got, p)
	}
	ours, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, c := range []struct{ what, its, ours string }{
		{"program", its.Path, ours.Path},
		{"version", its.Main.Version, ours.Main.Version},
		{"revision", setting(its, "vcs.revision"), setting(ours, "vcs.revision")},
		{"compiler", its.GoVersion, ours.GoVersion},
	} {
		if known(c.its) && known(c.ours) && c.its != c.ours {
			return fmt.Errorf("the worker program %s is of another %s, %q, than this one, %q: both are built from the same "+
				"source",
				path, c.what, c.its, c.ours)
		}
	}
	return nil
}

// known reports whether Go's build information has a value.
func known(s string) bool { return s != "" && s != "(devel)" }

func setting(b *debug.BuildInfo, key string) string {
	for _, s := range b.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
