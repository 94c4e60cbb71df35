//go:build spark

package spark_test

import (
	"testing"

	"github.com/dl4go/dl4go/internal/faulttest"
)

// TestSparkFaults makes faults of every kind.
func TestSparkFaults(t *testing.T) {
	faulttest.Run(t, faulttest.Engine{Open: open, Together: 6, Trusting: true, Executors: true, Filed: true})
}

// TestSparkEnds wants jobs to fail with what became of the workers. Of a stack that Go's runtime prints, Spark keeps
// the end. Of a worker that is killed before it has read its rows, Spark tells either the signal or that its own
// writing failed, whichever thread of it is first (TestEnded has both).
func TestSparkEnds(t *testing.T) {
	const where = "faulttest.ends on an executor of sc://"
	// Spark reads a process' last words in a thread of its own, and doesn't wait for it.
	const lost, lostKill = "the worker process ended (exit status 2)",
		"failed to run a query: the worker process was killed"
	faulttest.RunEnds(t, open, map[string]faulttest.Ending{
		"killed": {Attempts: 4, Says: []string{"partition 1", where, "was killed (signal 9)",
			"spark.executor.memoryOverhead", "batch size"}, Lost: lostKill},
		"killed early": {Attempts: 4, Says: []string{"killed", "by the system for lack of memory", "spark.task.maxFailures",
			"spark.executor.memoryOverhead"}},
		"exit 0": {Attempts: 4, Says: []string{"partition 1", "without a commit"}},
		"crash": {Attempts: 4, Says: []string{"partition 1", where, "crashed (exit status 2): panic: a user's goroutine"},
			Lost: lost},
		"memory": {Attempts: 4, Says: []string{"crashed (exit status 2)", "If memory was short",
			"spark.executor.memoryOverhead"}, Lost: lost},
		"disk": {Attempts: 4, Says: []string{"partition 1, attempt 4", where, "no space left on device", "disk is full"}},
	})
}

func TestSparkFullDisk(t *testing.T) { faulttest.RunFullDisk(t, open, "") }
