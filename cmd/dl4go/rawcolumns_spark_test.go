//go:build spark

package main

import (
	"bytes"
	"testing"
)

// TestSparkRawColumns: training on raw columns gives the same model on Spark as on one machine.
func TestSparkRawColumns(t *testing.T) {
	local, _ := rawModel(t, 7, "local[2]")
	spark, _ := rawModel(t, 7, server(t))
	if !bytes.Equal(local, spark) {
		t.Error("Spark gives another model than one machine")
	}
}
