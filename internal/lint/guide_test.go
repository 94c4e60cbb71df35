package lint

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks: every link between pages names a file and a heading that exist.
func TestLinks(t *testing.T) {
	count := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		count += len(pages)
		for _, page := range pages {
			links(t, page)
		}
	}
	if count < 20 {
		t.Errorf("only %d pages", count)
	}
}

func links(t *testing.T, guide string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).FindAllStringSubmatch(read(t, guide), -1) {
		file := guide
		if m[1] != "" {
			file = path.Join(path.Dir(guide), m[1])
		}
		if strings.Contains(m[1], "://") {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s links to %s: %v", guide, m[1], err)
			continue
		}
		if m[2] == "" {
			continue
		}
		text := read(t, file)
		found := false
		for line := range strings.Lines(text) {
			if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				found = found || "#"+slug(strings.TrimSpace(title)) == m[2]
			}
		}
		if !found {
			t.Errorf("%s has no heading for %s, which %s links to", file, m[2], guide)
		}
	}
}

// slug returns the anchor of a heading.
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
