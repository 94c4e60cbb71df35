//go:build spark

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// groupedSteps counts and adds by name, and ranks the sums.
const groupedSteps = `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "name"},
  {"@class": "org.datavec.api.transform.metadata.DoubleMetaData", "name": "x"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "day"}]},
 "actionList": [
  {"transform": {"@class": "org.datavec.api.transform.transform.time.StringToTimeTransform", "columnName": "day",
    "timeFormat": "yyyy-MM-dd", "timeZone": "UTC"}},
  {"reducer": {"Reducer": {"keyColumns": ["name"], "defaultOp": "TakeLast", "opMap": {"x": ["Sum", "Count"]}}}},
  {"calculateSortedRank": {"@class": "org.datavec.api.transform.rank.CalculateSortedRank", "newColumnName": "rank",
    "sortOnColumn": "sum(x)", "ascending": true,
    "comparator": {"@class": "org.datavec.api.writable.comparator.DoubleWritableComparator"}}}]}`

// TestSparkTransform: a pipeline with steps that group gives the same bytes on Spark as in one process, from files
// that executors read, and a table with the same rows. A query can be data, too.
func TestSparkTransform(t *testing.T) {
	master, dir := server(t), t.TempDir()
	steps, files := dir+"/steps.json", dir+"/in"
	if err := os.WriteFile(steps, []byte(groupedSteps), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		text := "day,name,x\n"
		for i := range 40 {
			text += fmt.Sprintf("2026-01-%02d,n%d,%d.25\n", 1+i%28, (i*k+i)%7, i*i%31)
		}
		if err := os.WriteFile(filepath.Join(files, fmt.Sprint(k, ".csv")), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(on, data, output string, more ...string) string {
		return dl4go(t, append([]string{"transform", "--pipeline", steps, "--master", on, "--data", data, "--output", output},
			more...)...)
	}
	dl4go(t, "transform", "--pipeline", steps, "--data", "csv:"+files, "--output", dir+"/here.csv")
	run("processes[2]", "csv:"+files, dir+"/processes.csv")
	run(master, "csv:file://"+files, dir+"/spark.csv")
	want := readFile(t, dir+"/here.csv")
	if readFile(t, dir+"/processes.csv") != want || readFile(t, dir+"/spark.csv") != want {
		t.Errorf("the engines give other bytes than one process:\n%s\n%s", want, readFile(t, dir+"/spark.csv"))
	}
	table := fmt.Sprintf("transformed_%x", os.Getpid())
	t.Cleanup(func() { dropTable(t, table) })
	for _, mode := range []string{"error", "overwrite"} { // files read by the driver, then by executors
		run(master, map[string]string{"error": "csv:" + files, "overwrite": "csv:file://" + files}[mode], "table:"+table,
			"--mode", mode, "--format", "parquet")
	}
	keep := dir + "/keep.json"
	text := `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "name"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "sum(x)"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "count(x)"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "day"},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "rank"}]}, "actionList": []}`
	if err := os.WriteFile(keep, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	steps = keep
	run(master, "sql:SELECT name, `sum(x)`, `count(x)`, unix_millis(`takelast(day)`) AS day, rank FROM "+table+
		" ORDER BY rank", dir+"/back.csv", "--ordered")
	back := strings.Replace(readFile(t, dir+"/back.csv"), ",day,", ",takelast(day),", 1)
	if back != want {
		t.Errorf("the table has\n%s\nwanted\n%s", back, want)
	}
}

// TestSparkJoin: executors join a table of files with one of the driver, and two tables of files. A pipeline that
// groups follows. The bytes are those of one process.
func TestSparkJoin(t *testing.T) {
	master, dir := server(t), t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for k := range 3 {
		text := "day,id,x\n"
		for i := range 40 {
			text += fmt.Sprintf("2026-01-%02d,c%d,%d.25\n", 1+i%28, (i*k+i)%7, i*i%31)
		}
		write(fmt.Sprintf("orders/%d.csv", k), text)
	}
	write("names/0.csv", "customer,name\nc1,ann\nc9,bob\n")
	write("names/1.csv", "customer,name\nc3,eve\nc1,joe\n")
	steps := write("steps.json", groupedSteps)
	for kind, more := range map[string][]string{"FullOuter": nil, "LeftOuter": {"--pipeline", steps}} {
		join := write("join.json",
			`{"joinType": "`+kind+`", "joinColumnsLeft": ["id"], "joinColumnsRight": ["customer"]}`)
		run := func(output string, args ...string) string {
			dl4go(t, append(append([]string{"transform", "--join", join, "--output", output}, args...), more...)...)
			return readFile(t, output)
		}
		want := run(dir+"/here.csv", "--data", "csv:"+dir+"/orders", "--right", "csv:"+dir+"/names")
		for _, right := range []string{"csv:file://" + dir + "/names", "csv:" + dir + "/names"} {
			got := run(dir+"/spark.csv", "--data", "csv:file://"+dir+"/orders", "--right", right, "--master", master)
			if got != want {
				t.Errorf("%s: Spark gives\n%s\nand one process\n%s", right, got, want)
			}
		}
	}
}

// dropTable removes a test's table.
func dropTable(t *testing.T, name string) {
	t.Helper()
	a, err := connect.ParseAddress(server(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background() // the test's context has ended
	s, err := connect.Open(ctx, a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(ctx)
	if _, err := s.Exec(ctx, "DROP TABLE IF EXISTS "+name); err != nil {
		t.Error(err)
	}
}
