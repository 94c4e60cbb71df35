package spark

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestEnded checks that Spark's errors for ended workers are turned into errors that tell the user what to do.
func TestEnded(t *testing.T) {
	for said, want := range map[string]struct {
		host string   // from the worker's last words, if there are any
		says []string // the texts of the cause, or of the error that replaces Spark's
	}{
		"org.apache.spark.SparkException: Subprocess exited with status 137. Error: dl4go-task " +
			"{\"partition\":1,\"attempt\":2,\"step\":\"train\"}\n": {
			"10.0.0.7", []string{"was killed (signal 9)", "spark.task.maxFailures", "spark.executor.memoryOverhead"}},
		"org.apache.spark.SparkException: Subprocess exited with status 137. Error: ": {
			"", []string{"on 10.0.0.7 (executor 3)", "was killed (signal 9)", "spark.executor.memoryOverhead"}},
		"java.io.IOException: Broken pipe": {
			"", []string{"on 10.0.0.7 (executor 3)", "ended before it had read its rows", "spark.executor.memoryOverhead"}},
		"java.io.IOException: Stream closed": {
			"", []string{"ended before it had read its rows"}},
		"java.lang.OutOfMemoryError: Java heap space": {
			"", []string{"Java heap space"}},
	} {
		task := &connect.Task{Host: "10.0.0.7", Executor: "3", Cause: said}
		f, err := ended(&connect.Error{Server: "server:15002", What: "run a query", Task: task})
		told := err.Error()
		switch {
		case f == nil && want.host != "":
			t.Errorf("%q: the worker's word is not found", said)
			continue
		case f != nil && (f.Host != want.host || f.Partition != 1 || f.Attempt != 2):
			t.Errorf("%q: partition %d, attempt %d, host %q", said, f.Partition, f.Attempt, f.Host)
		}
		if f != nil {
			told = f.Cause
		}
		for _, part := range want.says {
			if !strings.Contains(told, part) {
				t.Errorf("%q: %q lacks %q", said, told, part)
			}
		}
	}
}
