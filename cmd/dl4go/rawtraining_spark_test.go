//go:build spark

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSparkRawTraining: training on raw columns that executors read, from files or a query, gives the same model as
// one machine: analysis, split, pipeline and training are the same.
func TestSparkRawTraining(t *testing.T) {
	master, dir := server(t), t.TempDir()
	lines := strings.SplitAfter(strings.TrimSpace(readFile(t, penguins)), "\n")
	files := dir + "/penguins"
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	var columns []string
	for i, name := range strings.Split("n,"+strings.TrimSpace(lines[0]), ",") {
		columns = append(columns, fmt.Sprintf("_c%d AS %s", i, name))
	}
	for k := range 3 {
		part := "n," + lines[0]
		for i, line := range lines[1+len(lines)*k/3 : min(1+len(lines)*(k+1)/3, len(lines))] {
			part += fmt.Sprintf("%d,%s", 1000*k+i, line)
		}
		if err := os.WriteFile(filepath.Join(files, fmt.Sprint(k, ".csv")), []byte(part), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	query := "sql:SELECT " + strings.Join(columns, ", ") + " FROM csv.`file://" + files + "` WHERE _c0 <> 'n'" +
		" ORDER BY int(_c0)"
	train := func(on, data string, more ...string) string {
		save := t.TempDir() + "/model.zip"
		dl4go(t, append([]string{"train", "--data", data, "--keys", "n", "--seed", "7", "--epochs", "3", "--master", on,
			"--workers", "2", "--save", save}, more...)...)
		return readFile(t, save)
	}
	for _, more := range [][]string{
		{"--label", "species", "--split", "0.8:stratified"},
		{"--label", "body_mass_g", "--missing", "drop", "--sample", "300"},
	} {
		want := train("local[2]", "csv:"+files, more...)
		if train(master, "csv:file://"+files, more...) != want {
			t.Errorf("%v: files that executors read give another model", more)
		}
		if train(master, query, append(more, "--ordered")...) != want {
			t.Errorf("%v: a query gives another model", more)
		}
	}
	train(master, strings.TrimSuffix(query, " ORDER BY int(_c0)"), "--label", "Species", "--split", "0.8:group=island")
}
