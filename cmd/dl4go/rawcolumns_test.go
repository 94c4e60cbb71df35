package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const penguins = "../../internal/prepare/testdata/penguins.csv"

// rawModel trains on the penguins' raw columns, and gives the model file's bytes and the last event.
func rawModel(t *testing.T, seed int, on string) ([]byte, map[string]any) {
	t.Helper()
	save := t.TempDir() + "/model.zip"
	out := dl4go(t, "train", "--data", "csv:"+penguins, "--label", "species", "--split", "0.8", "--seed", fmt.Sprint(seed),
		"--master", on, "--workers", "2", "--save", save, "--json")
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

// TestRawColumns: species of penguins are learned from raw columns with text and gaps, with no more settings than the
// label and the split. 69 are held out; the test allows 3 mistakes, as kernels round differently.
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
