package lint

import (
	"os"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReadme: README.md's Go code is that of package distributed's example, which runs.
func TestReadme(t *testing.T) {
	_, after, ok := strings.Cut(read(t, "../../README.md"), "```go\n")
	code, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatal("README.md has no Go code")
	}
	example := strings.Split(read(t, "../../distributed/example_test.go"), "\n")
	at := 0
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		for at < len(example) && strings.TrimSpace(example[at]) != line {
			at++
		}
		if at == len(example) {
			t.Fatalf("distributed/example_test.go does not have, or not in this place: %s", line)
		}
		at++
	}
}

// TestGuides: the code of docs/migration.md and docs/extending.md is that of the file that is named above it, which the tests
// run. Of each of these files, some code is there.
func TestGuides(t *testing.T) {
	for name, files := range map[string]int{"migration.md": 6, "extending.md": 11} {
		if blocks := code(t, "../../docs/"+name); len(blocks) != files {
			t.Errorf("docs/%s has code of %v", name, blocks)
		}
	}
}

// code counts the blocks of code of a guide by the file that has them.
func code(t *testing.T, name string) map[string]int {
	t.Helper()
	guide := read(t, name)
	path, blocks := "", map[string]int{}
	for guide != "" {
		line, rest, _ := strings.Cut(guide, "\n")
		guide = rest
		if file, ok := strings.CutPrefix(line, "`examples/"); ok && strings.HasSuffix(file, "`:") {
			path = "../../examples/" + strings.TrimSuffix(file, "`:")
		}
		if line != "```go" && line != "```java" {
			continue
		}
		text, rest, closed := strings.Cut(guide, "```\n")
		guide = rest
		if language := strings.TrimPrefix(line, "```"); !closed || !strings.HasSuffix(path, "."+language) {
			t.Errorf("%s: %s code below %s:\n%s", name, language, path, text)
		} else if !strings.Contains(read(t, path), "\n"+text) {
			t.Errorf("%s does not have, as %s does:\n%s", path, name, text)
		}
		blocks[path]++
	}
	return blocks
}
