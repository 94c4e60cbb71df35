//go:build spark

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gatheredSteps makes a sequence of the measures of each plant, ordered by day. Each step has a label.
const gatheredSteps = `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "plant"},
  {"@class": "org.datavec.api.transform.metadata.DoubleMetaData", "name": "day"},
  {"@class": "org.datavec.api.transform.metadata.DoubleMetaData", "name": "x"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "kind"}]},
 "actionList": [
  {"convertToSequence": {"singleStepSequencesMode": false, "keyColumns": ["plant"],
    "comparator": {"@class": "org.datavec.api.transform.sequence.comparator.NumericalColumnComparator",
      "columnName": "day", "ascending": true}}},
  {"transform": {"@class": "org.datavec.api.transform.transform.column.RemoveColumnsTransform",
    "columnsToRemove": ["plant"]}}]}`

// reducedSteps compute the mean and the largest measure of each plant.
const reducedSteps = `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "plant"},
  {"@class": "org.datavec.api.transform.metadata.DoubleMetaData", "name": "x"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "kind"}]},
 "actionList": [
  {"reducer": {"Reducer": {"keyColumns": ["plant", "kind"], "defaultOp": "Mean", "opMap": {"x": ["Mean", "Max"]}}}},
  {"transform": {"@class": "org.datavec.api.transform.transform.column.RemoveColumnsTransform",
    "columnsToRemove": ["plant"]}}]}`

// listSteps takes a list of three numbers.
const listSteps = `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.NDArrayMetaData", "name": "v", "shape": [3]},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "kind"}]},
 "actionList": []}`

// TestSparkRawKinds: executors read each kind of raw data, and train the same model as one machine, with every way to
// split and to weight examples.
func TestSparkRawKinds(t *testing.T) {
	master, dir := server(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var table []string // the query's
	labels := ""
	for k := range 3 {
		lines := ""
		text := "plant,day,x,kind,site,w\n"
		for i := range 16 {
			day, plant := i%4, 4*k+i/4
			kind, x := []string{"fern", "moss"}[plant%2], float64(plant%2)+float64(i*7%10)/20
			text += fmt.Sprintf("p%d,%d,%g,%s,s%d,%d\n", plant, day, x, kind, i%3, 1+i%2)
			table = append(table, fmt.Sprintf("(%d, 'p%d', %d, '%g', '%s', 's%d', %d)", len(table), plant, day, x, kind, i%3,
				1+i%2))
			write(fmt.Sprintf("text/%s/%d-%d.txt", kind, k, i), fmt.Sprintf("%s on day %d of %d\n", kind, day, plant))
			lines, labels = lines+fmt.Sprintf("%s on day %d of %d\n", kind, day, plant), labels+kind+"\n"
		}
		write(fmt.Sprintf("lists-text/%d.txt", k), lines)
		csv := "csv:" + write(fmt.Sprintf("csv/%d.csv", k), text)
		types := write("types.json", strings.Replace(strings.Split(gatheredSteps, `"actionList"`)[0], `, "name": "kind"}`,
			`, "name": "kind"}, {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "site"}`, 1)+
			`"actionList": []}`)
		for _, kind := range []string{"jsonl", "parquet"} {
			write(kind+"/_", "")
			dl4go(t, "transform", "--pipeline", types, "--data", csv, "--output", fmt.Sprintf("%s/%s/%d.%s", dir, kind, k, kind))
		}
		for _, kind := range []string{"parquet", "arrow"} {
			mixed := readFile(t, "../../data/source/testdata/"+kind+"/mixed."+kind)
			write(fmt.Sprintf("lists-%s/part=%d/m.%s", kind, k, kind), mixed)
		}
	}
	sequences, reduced := write("sequences.json", gatheredSteps), write("reduced.json", reducedSteps)
	lists := write("lists.json", listSteps)
	apart := "file://" + write("labels.txt", labels)
	query := "sql:SELECT plant, day, x, kind, site, w FROM VALUES " + strings.Join(table, ", ") +
		" AS t(n, plant, day, x, kind, site, w) ORDER BY n"
	train := func(t *testing.T, on, data string, more ...string) (folds, model string) {
		save := filepath.Join(t.TempDir(), "model.zip")
		args := append([]string{"train", "--data", data, "--seed", "7", "--epochs", "1", "--batch", "8", "--master", on,
			"--workers", "2", "--save", save}, more...)
		for line := range strings.Lines(dl4go(t, args...)) {
			if strings.HasPrefix(line, "fold ") {
				folds += line[:strings.LastIndex(line, ", ")] + "\n" // without seconds
			}
		}
		return folds, readFile(t, save)
	}
	for _, c := range []struct{ kind, flags string }{
		{"text", "--split 0.8:stratified"},
		{"lists-text", "--lines --labels " + apart},
		{"csv", "--label kind --embed=site"},
		{"csv", "--label kind --pipeline " + sequences},
		{"jsonl", "--label kind --class-weights balanced --split 0.7:time=day"},
		{"parquet", "--label kind --split 0.7:group=plant"},
		{"lists-parquet", "--label kind --pipeline " + lists},
		{"lists-arrow", "--label kind --sample 20 --pipeline " + lists},
		{"sql", "--label kind --pipeline " + reduced},
		{"sql", "--label kind --pipeline " + sequences},
		{"sql", "--label kind --split 0.7:time=day"},
		{"sql", "--label kind --cross-validate 3:group=plant --class-weights balanced"},
	} {
		flags := strings.Fields(c.flags)
		kind := strings.TrimPrefix(c.kind, "lists-")
		here, there := kind+":"+filepath.Join(dir, c.kind), kind+":file://"+filepath.Join(dir, c.kind)
		more := flags
		if c.kind == "sql" {
			here, there, more = "csv:"+filepath.Join(dir, "csv"), query, append(flags, "--ordered")
		}
		t.Run(c.kind+" "+strings.ReplaceAll(c.flags, dir, ""), func(t *testing.T) {
			want, wantModel := train(t, "local[2]", here, flags...)
			if got, model := train(t, master, there, more...); got != want || model != wantModel {
				t.Errorf("Spark gives another model than one machine, or other folds:\n%swanted\n%s", got, want)
			}
		})
	}
}
