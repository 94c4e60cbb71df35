//go:build spark

package spark_test

import (
	"testing"

	"github.com/dl4go/dl4go/internal/faulttest"
)

// TestSparkFaults injects faults of every kind.
func TestSparkFaults(t *testing.T) {
	faulttest.Run(t, faulttest.Engine{Open: open, Together: 6, Trusting: true, Executors: true, Filed: true})
}

// TestSparkEnds checks that the errors of jobs say how their workers ended. Spark keeps only the end of a stack trace
// of the Go runtime. If a worker is killed before it has read its rows, Spark reports either the signal or that its own
// writing failed, depending on which of its threads is first (TestEnded has both).
func TestSparkEnds(t *testing.T) {
	const where = "faulttest.ends on an executor of sc://"
	// Spark reads the last words of a process in a separate thread and doesn't wait for it.
	const lost, lostKill = "(exit status 2)", "failed to run a query: the worker process was killed"
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
