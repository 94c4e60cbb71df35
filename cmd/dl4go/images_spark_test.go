//go:build spark

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSparkImages: executors read pictures in folders and of lists, and training on them gives the same bits as on one
// machine.
func TestSparkImages(t *testing.T) {
	master := server(t)
	train, dir := digitFolders(t, "train", 60), t.TempDir()
	var models [2][]byte
	for i, on := range []string{"local[2]", master} {
		save := dir + "/" + on[:2] + ".zip"
		dl4go(t, "train", "--data", "images:"+train, "--size", "8", "--channels", "grey", "--model", "softmax", "--epochs",
			"1",
			"--workers", "2", "--augment", "flip,crop:1", "--master", on, "--save", save)
		var err error
		if models[i], err = os.ReadFile(save); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("training on Spark gave other bits")
	}
	var results [2]string
	for i, on := range []string{"local[2]", master} {
		place := "images:" + train
		if i == 1 {
			place = "images:file://" + train
		}
		save := dir + "/split" + on[:2] + ".zip"
		text := dl4go(t, "train", "--data", place, "--size", "8", "--channels", "grey", "--model", "softmax", "--epochs", "1",
			"--workers", "2", "--split", "0.7:stratified", "--sample", "50", "--master", on, "--save", save)
		_, accuracy, _ := strings.Cut(text, "held-out accuracy ")
		results[i] = accuracy[:6] + readFile(t, save)
	}
	if results[0] != results[1] {
		t.Error("training on drawn pictures on Spark gave other bits or another accuracy")
	}
	list := "path,label\n"
	for i := range 40 {
		found, err := filepath.Glob(fmt.Sprintf("%s/*/%d.png", train, i))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		list += fmt.Sprintf("%s,%s\n", strings.TrimPrefix(found[0], train+"/"), []string{"even", "odd"}[i%2])
	}
	if err := os.WriteFile(train+"/list.csv", []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, on := range []string{"local[2]", master} {
		save := dir + "/list" + on[:2] + ".zip"
		dl4go(t, "train", "--data", "images:"+train+"/list.csv", "--channels", "grey", "--model", "softmax", "--epochs", "1",
			"--workers", "2", "--split", "0.8:stratified", "--master", on, "--save", save)
		results[i] = readFile(t, save)
	}
	if results[0] != results[1] {
		t.Error("training on a list of pictures without a size on Spark gave other bits")
	}
	toTable(t, master, dir+"/listlo.zip", train+"/list.csv", "even", "odd")
}

// toTable checks that predictions for pictures are the same in a table as in a file.
func toTable(t *testing.T, master, model, pictures string, classes ...string) {
	t.Helper()
	dir, table := t.TempDir(), fmt.Sprintf("pictures_%x", time.Now().UnixNano())
	predict := func(args ...string) string {
		return dl4go(t, append([]string{"predict", "--model", model, "--channels", "grey"}, args...)...)
	}
	text := predict("--data", "images:file://"+pictures, "--master", master, "--output", "table:"+table)
	if !strings.Contains(text, "wrote the table "+table+": 40 rows") {
		t.Errorf("predict says %s", text)
	}
	columns := []string{`{"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "key"}`,
		`{"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "prediction"}`}
	for _, class := range classes {
		columns = append(columns,
			`{"@class": "org.datavec.api.transform.metadata.FloatMetaData", "name": "probability_`+class+`"}`)
	}
	steps := `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [` +
		strings.Join(columns, ", ") + `]}, "actionList": []}`
	if err := os.WriteFile(dir+"/steps.json", []byte(steps), 0o666); err != nil {
		t.Fatal(err)
	}
	dl4go(t, "transform", "--pipeline", dir+"/steps.json", "--data", "sql:TABLE "+table, "--master", master, "--output",
		dir+"/there.csv")
	predict("--data", "images:"+pictures, "--output", dir+"/here.csv")
	var rows [2][]string
	for i, name := range []string{"/here.csv", "/there.csv"} {
		for line := range strings.Lines(readFile(t, dir+name)) {
			fields := strings.Split(strings.TrimSpace(line), ",")
			for k, field := range fields {
				if x, err := strconv.ParseFloat(field, 32); err == nil {
					fields[k] = fmt.Sprint(float32(x)) // Java writes numbers in another way
				}
			}
			rows[i] = append(rows[i], strings.Join(fields, ","))
		}
		slices.Sort(rows[i])
	}
	if !slices.Equal(rows[0], rows[1]) || len(rows[0]) != 41 {
		t.Errorf("the table has %q, the file %q", rows[1], rows[0])
	}
}
