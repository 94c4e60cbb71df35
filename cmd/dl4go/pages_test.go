package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages have commands that this machine can run, with their minimum number. For their other commands, and those of all
// other pages (spark.md, storage.md, migration.md), TestGuideFlags checks the flags: they need a cluster, a bucket or
// the reader's data.
var pages = map[string]int{"getting-started.md": 10, "training.md": 5, "performance.md": 3, "data.md": 2,
	"pipeline.md": 2, "interchange.md": 4, "networks.md": 6}

// TestPages runs the commands of these pages in order, with the table that getting-started.md shows. With -short it
// runs those of that page only.
func TestPages(t *testing.T) {
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	for page, least := range pages {
		if testing.Short() && page != "getting-started.md" {
			continue
		}
		t.Run(page, func(t *testing.T) { runPage(t, docs, page, least) })
	}
}

// elsewhere matches commands that need more than this machine, or data that scripts have in another form: arrays.txtar
// has Parquet and NumPy's arrays, TestImages pictures, TestTextFiles texts, TestRawColumns penguins,
// TestSequencesOfALongTable readings, and TestEmbed orders. MLflow is a server, for which internal/mlflow has a fake
// one.
var elsewhere = regexp.MustCompile(`…|sc://|s3://|hdfs://|parquet:|images:|text:|npy:|penguins|readings|orders|mlflow`)

func runPage(t *testing.T, docs, page string, least int) {
	text, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	start, err := os.ReadFile(filepath.Join(docs, "getting-started.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(start), "```csv\n")
	table, _, _ := strings.Cut(after, "```")
	if err := os.WriteFile("flowers.csv", []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	if page == "interchange.md" { // it converts a model that there is
		dl4go(t, "train", "--epochs", "1")
	}
	if page == "networks.md" {
		blocks := strings.Split(string(text), "```yaml\n")
		for i, name := range []string{"net.yaml", "images.yaml"} {
			net, _, _ := strings.Cut(blocks[i+1], "```")
			if err := os.WriteFile(name, []byte(net), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		if args, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    dl4go "); ok && !elsewhere.MatchString(args) {
			args, _, _ = strings.Cut(args, " # ")
			dl4go(t, strings.Fields(args)...)
			commands++
		}
	}
	if commands < least {
		t.Errorf("%d commands were run", commands)
	}
	if page != "getting-started.md" {
		return
	}
	for name, text := range map[string]string{"kinds.jsonl": `"prediction":`, "digits.csv": ",", "run.html": "<svg",
		"best.zip": "PK"} {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s has no %s: %v", name, text, err)
		}
	}
}
