//go:build spark

package main

import (
	"path/filepath"
	"testing"
)

// TestSparkTraces: rounds, jobs and Spark's queries of a run reach a collector.
func TestSparkTraces(t *testing.T) {
	base := []string{"train", "--master", server(t), "--epochs", "1", "--save", filepath.Join(t.TempDir(), "m.zip")}
	const epoch = "dl4go train/epoch"
	trace(t, append(base, "--rounds", "jobs", "--averaging-frequency", "20")...).want(t, map[string]int{epoch: 1,
		epoch + "/round/job/Spark query": some, epoch + "/score held-out data/job/Spark query": some})
	trace(t, append(base, "--training", "sharing")...).want(t, map[string]int{epoch + "/share updates": 1,
		epoch + "/job/Spark query": some})
}
