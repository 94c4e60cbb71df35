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

// goCode returns the blocks of Go in a page, without indentation and empty lines.
func goCode(t *testing.T, page string) (blocks []string) {
	t.Helper()
	for i, part := range strings.Split(read(t, page), "```go\n") {
		if code, _, closed := strings.Cut(part, "```"); i > 0 && closed {
			blocks = append(blocks, unindented(code))
		}
	}
	return blocks
}

// unindented returns a text without indentation and empty lines.
func unindented(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestReadme: README.md's Go code is examples/digits, which is tested, and has 25 lines.
func TestReadme(t *testing.T) {
	blocks := goCode(t, "../../README.md")
	if len(blocks) != 1 || !strings.Contains(unindented(read(t, "../../examples/digits/main.go")), blocks[0]) {
		t.Errorf("README.md has %d blocks of Go; it should have one, of lines of examples/digits/main.go", len(blocks))
	}
	if n := strings.Count(blocks[0], "\n"); n > 25 {
		t.Errorf("README.md's program has %d lines", n)
	}
}

// TestLibrary: the Go code of docs/library.md is that of the root package's examples, which run. The first of them,
// from structs to a prediction, has 35 lines.
func TestLibrary(t *testing.T) {
	examples := read(t, "../../example_test.go")
	more := unindented(read(t, "../../example_more_test.go"))
	blocks := goCode(t, "../../docs/library.md")
	for _, code := range blocks {
		if !strings.Contains(unindented(examples), code) && !strings.Contains(more, code) {
			t.Errorf("the examples of package dl4go do not have, as docs/library.md does:\n%s", code)
		}
	}
	if len(blocks) < 5 {
		t.Errorf("docs/library.md has %d blocks of Go", len(blocks))
	}
	_, program, begins := strings.Cut(examples, "\n\n// Reading is")
	program, _, ends := strings.Cut(program, "\n\n// readings are")
	n := 0
	for line := range strings.Lines(unindented(program)) {
		if !strings.HasPrefix(line, "//") {
			n++
		}
	}
	if !begins || !ends || n > 36 { // including the rest of its first comment
		t.Errorf("the example has %d lines", n-1)
	}
}

// TestGuides: each block of code in docs/migration.md and docs/extending.md is part of the file that is named above
// it, which the tests run. Each of these files is quoted.
func TestGuides(t *testing.T) {
	for name, files := range map[string]int{"migration.md": 6, "extending.md": 14} {
		if blocks := code(t, "../../docs/"+name); len(blocks) != files {
			t.Errorf("docs/%s has code of %v", name, blocks)
		}
	}
}

// code counts the code blocks of a guide by the file that they quote.
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
