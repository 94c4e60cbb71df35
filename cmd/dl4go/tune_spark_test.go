//go:build spark

package main

import (
	"bytes"
	"os"
	"testing"
)

// TestSparkTune: trials on Spark give the model that they give on one machine.
func TestSparkTune(t *testing.T) {
	model := func(on string) []byte {
		dir := t.TempDir()
		dl4go(t, "tune", "--data", "csv:"+penguins, "--label", "species", "--split", "0.8", "--trials", "4", "--epochs", "3",
			"--master", on, "--output", dir)
		b, err := os.ReadFile(dir + "/best.zip")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(model("local[2]"), model(server(t))) {
		t.Error("Spark gives another model than one machine")
	}
}
