package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmbed: categories in raw columns are embedded, with the same result on each engine. The model takes raw columns
// by name, with categories that it does not know.
func TestEmbed(t *testing.T) {
	t.Parallel()
	local, last := rawModel(t, 2, "local[2]", "--embed=island,year,sex")
	if last["accuracy"].(float64) < 0.9 {
		t.Errorf("accuracy %v", last["accuracy"])
	}
	if processes, _ := rawModel(t, 2, "processes[2]", "--embed=island,year,sex"); !bytes.Equal(local, processes) {
		t.Error("processes give another model than goroutines")
	}
	if plain, _ := rawModel(t, 2, "local[2]"); bytes.Equal(plain, local) {
		t.Error("--embed changes nothing")
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	model := file("model.zip", string(local))
	summary := dl4go(t, "summary", model)
	for _, want := range []string{"embedding0 (EmbeddingLayer)   3,2", "merge (MergeVertex)"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
	out := dl4go(t, "predict", "--model", model, "--output", "-", "--data", "csv:"+file("p.csv",
		"year,sex,island,body_mass_g,flipper_length_mm,bill_depth_mm,bill_length_mm\n"+
			"2007,male,Torgersen,3750,181,18.7,39.1\n2031,,Atlantis,3750,181,18.7,39.1\n"))
	if lines := strings.Fields(out); len(lines) < 3 || !strings.HasPrefix(lines[1], "Adelie,") ||
		strings.Contains(lines[2], "NaN") {
		t.Error(out)
	}

	steps := filepath.Join(dir, "steps.yaml")
	dl4go(t, "inspect", "--data", "csv:"+penguins, "--label", "species", "--embed", "--output", steps)
	save := filepath.Join(dir, "given.zip")
	dl4go(t, "train", "--data", "csv:"+penguins, "--label", "species", "--pipeline", steps, "--embed=island", "--epochs",
		"1", "--save", save)
	if summary := dl4go(t, "summary", save); strings.Count(summary, "(EmbeddingLayer)") != 1 {
		t.Error(summary)
	}
	net := file("net.yaml", "layers: [{dense: 3}, output]\n")
	for flags, want := range map[string]string{
		"--embed=beak":                          `there is no column "beak"`,
		"--embed=species":                       `the column "species" is not a feature`,
		"--embed --model " + model:              "only applies to built-in networks, not to " + model,
		"--embed --model " + net:                "only applies to built-in networks, not to " + net,
		"--embed --model lenet":                 "it takes images, and",
		"--embed --no-pipeline":                 "--embed is for tables that go through a pipeline",
		"--pipeline " + steps + " --embed=year": `makes no numbers of categories in a column "year": it does in island, sex`,
	} {
		root := rootCommand(append([]string{"train", "--data", "csv:" + penguins, "--label", "species", "--epochs", "1",
			"--save", filepath.Join(dir, "x.zip")}, strings.Fields(flags)...)...)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", flags, err, want)
		}
	}
}
