package spark

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestEndingExecutor tests jobs whose tasks an executor refused because it was ending.
func TestEndingExecutor(t *testing.T) {
	refusal := fmt.Errorf("a job: %w", &connect.Error{Message: "Job aborted due to stage failure: Task 0 in stage " +
		"1531.0 failed 4 times: java.util.concurrent.RejectedExecutionException: Task " +
		"org.apache.spark.executor.Executor$TaskRunner@69a0af44 rejected from " +
		"java.util.concurrent.ThreadPoolExecutor@7cdc0267[Terminated, pool size = 0]"})
	for _, err := range []error{nil, errors.New("RejectedExecutionException: executor.Executor$TaskRunner"),
		&connect.Error{Message: "java.util.concurrent.RejectedExecutionException: Task my.Task rejected"}} {
		if new(ending).outlast(t.Context(), err) {
			t.Errorf("a job begins again after %v", err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var e ending
		begun := time.Now()
		for e.outlast(t.Context(), refusal) {
		}
		if waited := time.Since(begun); waited != endingLimit {
			t.Errorf("an executor had %v to end", waited)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if new(ending).outlast(ctx, refusal) {
			t.Error("a job that was given up begins again")
		}
	})
}
