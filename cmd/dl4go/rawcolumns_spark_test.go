//go:build spark

package main

import (
	"bytes"
	"testing"
)

// TestSparkRawColumns: training on raw columns, with weights, gives the same model on Spark as on one machine.
func TestSparkRawColumns(t *testing.T) {
	local, _ := rawModel(t, 7, "local[2]", weighting...)
	spark, _ := rawModel(t, 7, server(t), weighting...)
	if !bytes.Equal(local, spark) {
		t.Error("Spark gives another model than one machine")
	}
}
