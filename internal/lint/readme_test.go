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

// TestContributing holds the layer that CONTRIBUTING.md walks through to the file that it is.
func TestContributing(t *testing.T) {
	_, after, _ := strings.Cut(read(t, "../../CONTRIBUTING.md"), "`nn/layer/elementwise.go`:\n\n```go\n")
	if code, _, ok := strings.Cut(after, "```"); !ok || code != read(t, "../../nn/layer/elementwise.go") {
		t.Error("CONTRIBUTING.md does not have nn/layer/elementwise.go as it is")
	}
}

// TestMigration: the code of docs/migration.md is that of the file that is named above it, which the tests run; of each
// program all steps are there.
func TestMigration(t *testing.T) {
	guide := read(t, "../../docs/migration.md")
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
		code, rest, closed := strings.Cut(guide, "```\n")
		guide = rest
		if language := strings.TrimPrefix(line, "```"); !closed || !strings.HasSuffix(path, "."+language) {
			t.Errorf("docs/migration.md: %s code below %s:\n%s", language, path, code)
		} else if !strings.Contains(read(t, path), "\n"+code) {
			t.Errorf("%s does not have, as docs/migration.md does:\n%s", path, code)
		}
		blocks[path]++
	}
	if len(blocks) != 6 {
		t.Errorf("docs/migration.md has code of %v", blocks)
	}
}
