package spark

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// An executor that is ending refuses each task at once, so it may use up all of a task's attempts before the driver
// knows. A job that fails by this has not been tried. It begins again as long as such an executor may take to end.
const (
	endingLimit = time.Minute
	endingPause = time.Second
)

// ending outlasts executors that are ending.
type ending struct{ waited time.Duration }

// outlast waits a moment if an executor that is ending made a job fail with err. It reports whether to begin the job
// again.
func (e *ending) outlast(ctx context.Context, err error) bool {
	if !refused(err) || e.waited >= endingLimit {
		return false
	}
	e.waited += endingPause
	select {
	case <-ctx.Done():
		return false
	case <-time.After(endingPause):
		return true
	}
}

// refused reports whether an executor that is ending refused all attempts at a task.
func refused(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && strings.Contains(spark.Error(), "RejectedExecutionException") &&
		strings.Contains(spark.Error(), "executor.Executor$TaskRunner")
}
