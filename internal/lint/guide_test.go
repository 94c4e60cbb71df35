package lint

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// guides are the pages whose links are checked; cmd/dl4go has the test of their flags and commands.
var guides = []string{"../../docs/spark.md", "../../docs/migration.md"}

// TestGuideLinks: what a guide links to is there.
func TestGuideLinks(t *testing.T) {
	for _, guide := range guides {
		links(t, guide)
	}
}

func links(t *testing.T, guide string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).FindAllStringSubmatch(read(t, guide), -1) {
		file := guide
		if m[1] != "" {
			file = path.Join(path.Dir(guide), m[1])
		}
		text := read(t, file)
		if m[2] == "" {
			continue
		}
		found := false
		for line := range strings.Lines(text) {
			if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				found = found || "#"+slug(strings.TrimSpace(title)) == m[2]
			}
		}
		if !found {
			t.Errorf("%s has no heading for %s", file, m[2])
		}
	}
}

// slug is the name by which a heading is linked to.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(title))
}
