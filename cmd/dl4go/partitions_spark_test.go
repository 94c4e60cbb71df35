//go:build spark

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// TestSparkPartitions: without a pipeline, executors read the Parquet files in directories of partitions. The values of
// the partitions are a feature. The model has the bytes of one machine's, with the names of the columns.
func TestSparkPartitions(t *testing.T) {
	master, dir := server(t), t.TempDir()
	columns := []pipeline.Column{pipeline.DoubleColumn{Name: "a"}, pipeline.DoubleColumn{Name: "y"}}
	for year := range 3 {
		var b bytes.Buffer
		w, err := parquet.NewWriter(&b, &pipeline.Schema{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			row := pipeline.Row{pipeline.Double(float64(i) / 9), pipeline.Double(float64(i * year % 5))}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "t", fmt.Sprint("year=", year), "part.parquet")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, on := range []string{"local[2]", master} {
		text := dl4go(t, "train", "--data", "parquet:file://"+dir+"/t", "--label", "y", "--regression", "--no-pipeline",
			"--epochs", "2", "--workers", "2", "--master", on, "--save", dir+"/"+on[:2]+".zip")
		if !strings.Contains(text, "60 examples (features [2]") {
			t.Errorf("%s: %s", on, text)
		}
	}
	if readFile(t, dir+"/lo.zip") != readFile(t, dir+"/sc.zip") {
		t.Error("Spark gives another model than one machine")
	}
}
