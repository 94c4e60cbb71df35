package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

const penguins = "../../internal/prepare/testdata/penguins.csv"

// rawModel trains on the penguins' raw columns, and returns the model file's bytes and the last event.
func rawModel(t *testing.T, seed int, on string, more ...string) ([]byte, map[string]any) {
	t.Helper()
	save := t.TempDir() + "/model.zip"
	out := dl4go(t, append([]string{"train", "--data", "csv:" + penguins, "--label", "species", "--split", "0.8", "--seed",
		fmt.Sprint(seed), "--master", on, "--workers", "2", "--save", save, "--json"}, more...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(save)
	if err != nil {
		t.Fatal(err)
	}
	return b, last
}

// TestRawColumns: species of penguins are learned from raw columns with text and gaps, with no settings except the
// label and the split. 69 are held out; the test allows 3 mistakes, because kernels round differently.
func TestRawColumns(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= 5; seed++ {
		if _, last := rawModel(t, seed, "local[2]"); last["accuracy"].(float64) < 0.95 {
			t.Errorf("seed %d: %v", seed, last["accuracy"])
		}
	}
	local, _ := rawModel(t, 7, "local[2]")
	processes, _ := rawModel(t, 7, "processes[2]")
	if !bytes.Equal(local, processes) {
		t.Error("processes give another model than goroutines")
	}
}

// weighting are flags that weight examples: the year is their weight, and no feature.
var weighting = []string{"--class-weights", "balanced", "--weights", "year"}

// TestWeights: figures with weights are shown beside the others, in training and in evaluation, with the same values.
func TestWeights(t *testing.T) {
	t.Parallel()
	local, last := rawModel(t, 3, "local[2]", weighting...)
	processes, _ := rawModel(t, 3, "processes[2]", weighting...)
	if !bytes.Equal(local, processes) {
		t.Error("processes give another model than goroutines")
	}
	if plain, _ := rawModel(t, 3, "local[2]", "--weights", "year"); bytes.Equal(plain, local) {
		t.Error("weights of classes change nothing")
	}
	if x := last["weightedAccuracy"].(float64); x < 0.9 {
		t.Errorf("accuracy %v, weighted %v", last["accuracy"], x)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/model.zip", local, 0o600); err != nil {
		t.Fatal(err)
	}
	table := func(weight string) string {
		text := "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year\n" +
			"Adelie,Torgersen,39.1,18.7,181.0,3750.0,male,1\n" +
			"Gentoo,Torgersen,39.7,18.1,185.0,3750.0,male," + weight + "\n"
		path := dir + "/" + weight + ".csv"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "csv:" + path
	}
	out := dl4go(t, "evaluate", "--model", dir+"/model.zip", "--data", table("3"), "--weights", "year", "--json")
	if !strings.Contains(out, `"accuracy":0.5`) || !strings.Contains(out, `"weightedAccuracy":0.25`) {
		t.Error(out)
	}
	for flags, want := range map[string]string{
		"--weights year --data " + table("x"):        `x.csv:3: column "year": "x" is not a weight`,
		"--weights year --data " + table("-1"):       `-1.csv:3: column "year": "-1" is not a weight`,
		"--weights year --data " + table(""):         `.csv:3: column "year": the weight is missing`,
		"--weights none --data " + table("2"):        `there is no column "none"`,
		"--weights species --data " + table("2"):     `the column "species" is the label`,
		"--class-weights no.csv --data digits:train": `no.csv: no such file`,

		"--class-weights balanced --data csv:" + penguins + "?label=year&regression=true": "are numbers, not classes",
	} {
		args := append([]string{"train", "--save", dir + "/x.zip", "--label", "species"}, strings.Fields(flags)...)
		if strings.Contains(flags, "digits") || strings.Contains(flags, "label=") {
			args = append([]string{"train", "--save", dir + "/x.zip"}, strings.Fields(flags)...)
		}
		root := rootCommand(args...)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", flags, err, want)
		}
	}
}
