//go:build spark

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSparkSequencesOfALongTable: executors read the files of a long table and make its sequences. The model has the
// bytes of processes, and the answers those of one process, even if the rows of a sequence lie in different files.
func TestSparkSequencesOfALongTable(t *testing.T) {
	master, dir := server(t), t.TempDir()
	lines := strings.SplitAfter(readFile(t, machines(t)), "\n")
	files := dir + "/readings"
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		part := lines[0] + strings.Join(lines[1+137*i:1+137*(i+1)], "")
		if err := os.WriteFile(filepath.Join(files, name), []byte(part), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data := "csv:file://" + files
	for _, on := range []string{"processes[2]", master} {
		text := dl4go(t, "train", "--data", data, "--sequence-id", "machine", "--sequence-time", "at", "--label", "kind",
			"--split", "0.8", "--epochs", "2", "--master", on, "--workers", "2", "--save", dir+"/"+on[:2]+".zip")
		if !strings.Contains(text, "notice 60 sequences of 411 rows") {
			t.Errorf("%s: %s", on, text)
		}
	}
	model := dir + "/pr.zip"
	if readFile(t, model) != readFile(t, dir+"/sc.zip") {
		t.Error("Spark gives another model than processes")
	}
	dl4go(t, "predict", "--model", model, "--data", data, "--output", dir+"/here.csv")
	dl4go(t, "predict", "--model", model, "--data", data, "--master", master, "--output", dir+"/spark.csv")
	if want := readFile(t, dir+"/here.csv"); readFile(t, dir+"/spark.csv") != want {
		t.Errorf("Spark predicts\n%s\nand one process\n%s", readFile(t, dir+"/spark.csv"), want)
	}
}

// TestSparkSequenceLabels: executors read sequences with labels in files of their own, without a pipeline. The model
// has the bytes of one machine's.
func TestSparkSequenceLabels(t *testing.T) {
	master, dir := server(t), t.TempDir()
	for i := range 12 {
		x, y := "a,b\n", "kind\n"
		for k := range 3 + i%4 {
			x += fmt.Sprintf("%d.5,%d\n", i*k%7, i+k)
			y += []string{"up", "down"}[(i+k)%2] + "\n"
		}
		for name, text := range map[string]string{"x": x, "y": y} {
			path := filepath.Join(dir, name, fmt.Sprintf("%02d.csv", i))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, on := range []string{"local[2]", master} {
		dl4go(t, "train", "--data", "csvseq:file://"+dir+"/x", "--sequence-labels", "file://"+dir+"/y",
			"--names", "up,down", "--no-pipeline", "--epochs", "2", "--workers", "2",
			"--master", on, "--save", dir+"/"+on[:2]+".zip")
	}
	if readFile(t, dir+"/lo.zip") != readFile(t, dir+"/sc.zip") {
		t.Error("Spark gives another model than one machine")
	}
}
