//go:build spark

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestSparkTune: trials on Spark give the same model as on one machine.
func TestSparkTune(t *testing.T) {
	model := func(on, data string, more ...string) []byte {
		dir := t.TempDir()
		dl4go(t, append([]string{"tune", "--data", data, "--label", "species", "--split", "0.8", "--trials", "4",
			"--epochs", "3", "--master", on, "--output", dir}, more...)...)
		b, err := os.ReadFile(dir + "/best.zip")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := model("local[2]", "csv:"+penguins)
	if !bytes.Equal(want, model(server(t), "csv:"+penguins)) {
		t.Error("Spark gives another model than one machine")
	}
	lines := strings.Split(strings.TrimSpace(readFile(t, penguins)), "\n")
	text, columns := "", "n"
	for i, line := range lines[1:] {
		text += fmt.Sprintf("%d,%s\n", i, line)
	}
	for i, name := range strings.Split(lines[0], ",") {
		columns += fmt.Sprintf(", _c%d AS %s", i+1, name)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/rows.csv", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	query := "sql:SELECT " + strings.TrimPrefix(columns, "n, ") + " FROM csv.`file://" + dir + "` ORDER BY int(_c0)"
	if !bytes.Equal(want, model(server(t), query, "--ordered")) {
		t.Error("a query gives another model than the same rows of a file")
	}
}
