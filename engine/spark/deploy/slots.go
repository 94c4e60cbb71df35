package deploy

import (
	"context"
	"strconv"

	"github.com/dl4go/dl4go/engine/spark/connect"
)

// Settings of a cluster that say how many of its cores a task takes, and how many an executor has.
const (
	taskCores     = "spark.task.cpus"
	executorCores = "spark.executor.cores"
)

// slots is how many tasks the cluster runs at once. A survey counts its cores.
func slots(ctx context.Context, s *connect.Session, cores int) (int, error) {
	set, err := s.Get(ctx, taskCores, executorCores)
	if err != nil {
		return 0, err
	}
	return atOnce(cores, set[taskCores], set[executorCores]), nil
}

// atOnce divides the cores by those that a task takes: on each executor apart, where it is known how many those have.
func atOnce(cores int, perTask, perExecutor string) int {
	task, err := strconv.Atoi(perTask)
	if err != nil || task <= 1 {
		return cores
	}
	executor, err := strconv.Atoi(perExecutor)
	if err != nil || executor < task || executor > cores {
		executor = cores
	}
	return max(1, cores/executor*(executor/task)+cores%executor/task)
}
