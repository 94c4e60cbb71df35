//go:build spark

package main

import (
	"os"
	"testing"
)

// TestSameOnSpark wants the result of local[2] of a Spark cluster.
func TestSameOnSpark(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	program := build(t)
	if want, got := outcome(t, program, "local[2]"), outcome(t, program, master); got != want {
		t.Errorf("%s:\n%s\nlocal[2]:\n%s", master, got, want)
	}
}
