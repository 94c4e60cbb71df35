//go:build spark

package main

import (
	"bytes"
	"os"
	"testing"
)

// TestSparkImages: executors read pictures in folders, and training on them gives the same bits as on one machine.
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
}
