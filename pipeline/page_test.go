package pipeline_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// documented is the example of docs/pipeline.md.
func documented() pipeline.Pipeline {
	p := pipeline.Pipeline{
		Initial: pipeline.Schema{Columns: []pipeline.Column{
			pipeline.StringColumn{Name: "code"},
			pipeline.IntegerColumn{Name: "age", Min: new(int32(0))},
			pipeline.CategoricalColumn{Name: "country", States: []string{"de", "fr"}},
			pipeline.DoubleColumn{Name: "amount"},
		}},
		Steps: []pipeline.Step{
			pipeline.RemoveColumns{Columns: []string{"code"}},
			pipeline.ReplaceInvalidInteger{Column: "age", Value: 40},
			pipeline.CategoricalToOneHot{Column: "country"},
			pipeline.StandardizeNormalizer{Column: "amount", Mean: 10, Stdev: 2.5},
		},
	}
	return p
}

// TestPage: the example of docs/pipeline.md is the same in Go, JSON and YAML, and produces the rows of the page.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/pipeline.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("page_test.go")
	if err != nil {
		t.Fatal(err)
	}
	want := documented()
	for i, block := range strings.Split(string(page), "```") {
		if i%2 == 0 {
			continue
		}
		if code, ok := strings.CutPrefix(block, "go\n"); ok {
			for line := range strings.Lines(code) {
				if !strings.Contains(string(source), strings.TrimSpace(line)) {
					t.Errorf("this file does not have the page's line %s", line)
				}
			}
			continue
		}
		_, text, _ := strings.Cut(block, "\n")
		if p, err := pipeline.Parse([]byte(text)); err != nil || !samePipeline(p, &want) {
			t.Errorf("the page has another pipeline (%v):\n%s", err, text)
		}
	}
	rows := []pipeline.Row{
		{pipeline.Text("k1"), pipeline.Text("35"), pipeline.Text("de"), pipeline.Text("12.5")},
		{pipeline.Text("k2"), pipeline.Text(""), pipeline.Text("fr"), pipeline.Text("7.25")},
	}
	got, err := runItems(t, want, pipeline.Item{Row: rows[0]}, pipeline.Item{Row: rows[1]})
	if err != nil || got != "[35 1 0 1.0] [40 0 1 -1.1]" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestPageHasAllClasses: docs/pipeline.md has a row for each class of steps.
func TestPageHasAllClasses(t *testing.T) {
	page, err := os.ReadFile("../docs/pipeline.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		_, class, _ := strings.Cut(step, `"@class": "`)
		class, _, _ = strings.Cut(class, `"`)
		if class = strings.TrimPrefix(class, "T."); !strings.Contains(string(page), "| `"+class+"` |") {
			t.Errorf("docs/pipeline.md has no row of %s", class)
		}
	}
}
