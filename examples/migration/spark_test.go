//go:build spark

package migration

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProgramsOnSpark runs the same programs on a Spark cluster: averaging gives the parameters that it gives on
// local[2], and the models that the cluster has trained and evaluated are those that are saved.
func TestProgramsOnSpark(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	train, test := csvFiles(t)
	programs := build(t)
	models := t.TempDir()
	trained := func(program, master, model string) []byte {
		path := filepath.Join(models, model)
		accuracy := run(t, 1, filepath.Join(programs, program), "-master", master, train, test, path)
		if opened := run(t, 1, filepath.Join(programs, "open"), test, path); opened[0] != accuracy[0] {
			t.Errorf("%s on %s: accuracy %s, of the saved model %s", program, master, accuracy[0], opened[0])
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if string(trained("averaging", "local[2]", "here.zip")) != string(trained("averaging", master, "there.zip")) {
		t.Error("averaging gives another model on Spark than on local[2]")
	}
	trained("sharing", master, "shared.zip")
}
