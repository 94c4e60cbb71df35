//go:build spark

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSparkRawWorkers: a model with a pipeline gives the same answers on Spark, where executors read the files, or the
// rows of a query, and run the pipeline.
func TestSparkRawWorkers(t *testing.T) {
	master, dir := server(t), t.TempDir()
	model, lines := dir+"/model.zip", strings.SplitAfter(strings.TrimSpace(readFile(t, penguins)), "\n")
	dl4go(t, "train", "--data", "csv:"+penguins, "--label", "species", "--seed", "3", "--epochs", "3", "--save", model)
	files := dir + "/penguins"
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		part := lines[0] + strings.Join(lines[1+100*i:1+100*(i+1)], "")
		if err := os.WriteFile(filepath.Join(files, name), []byte(part), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(command, on, data string, more ...string) string {
		return dl4go(t, append([]string{command, "--model", model, "--master", on, "--data", data}, more...)...)
	}
	for _, on := range []string{"local[2]", "processes[2]", master} {
		apply("predict", on, "csv:file://"+files, "--output", dir+"/"+on[:2]+".csv")
		if out := apply("evaluate", on, "csv:file://"+files, "--json"); !strings.Contains(out, `"examples":300`) {
			t.Errorf("%s: %s", on, out)
		}
	}
	want := readFile(t, dir+"/lo.csv")
	if readFile(t, dir+"/pr.csv") != want || readFile(t, dir+"/sc.csv") != want {
		t.Error("the engines give other bytes")
	}
	query := "sql:SELECT 'Torgersen' AS island, 39.1 AS bill_length_mm, CAST(NULL AS double) AS bill_depth_mm, " +
		"181 AS flipper_length_mm, 3750 AS body_mass_g, 'male' AS sex, 2007 AS year, 'Adelie' AS species"
	one := dir + "/one.csv"
	if err := os.WriteFile(one, []byte("island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year\n"+
		"Torgersen,39.1,,181,3750,male,2007\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	apply("predict", "local[1]", "csv:"+one, "--output", dir+"/of-csv.csv")
	apply("predict", master, query, "--output", dir+"/of-sql.csv")
	if readFile(t, dir+"/of-csv.csv") != readFile(t, dir+"/of-sql.csv") {
		t.Errorf("a query gives %s, a CSV file %s", readFile(t, dir+"/of-sql.csv"), readFile(t, dir+"/of-csv.csv"))
	}
	if out := apply("evaluate", master, query, "--json"); !strings.Contains(out, `"examples":1`) {
		t.Errorf("a query: %s", out)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
