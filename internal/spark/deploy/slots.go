package deploy

import (
	"fmt"
	"strconv"
	"strings"
)

// Settings of a cluster that determine its cores and how many of them a task takes.
const (
	taskCores     = "spark.task.cpus"
	executorCores = "spark.executor.cores"
	instances     = "spark.executor.instances"
	dynamic       = "spark.dynamicAllocation.enabled"
	parallelism   = "spark.default.parallelism"
	master        = "spark.master"
)

var slotSettings = []string{taskCores, executorCores, instances, dynamic, parallelism, master}

// executorLine prints a task's executor, by its process number, and the number of cores that it was started with.
// Without that option, as in Spark's local mode, the line has no number of cores.
const executorLine = `echo $PPID $(cat -v /proc/$PPID/cmdline 2>/dev/null | grep -o "[-]-cores.@[0-9]*" | head -n 1)`

// parseExecutor parses that line. cores is 0 if they are unknown.
func parseExecutor(line string) (name string, cores int) {
	name, said, _ := strings.Cut(line, " ")
	if _, n, ok := strings.Cut(said, "@"); ok {
		cores, _ = strconv.Atoi(n)
	}
	return name, cores
}

// bySpark reports whether Spark chose the number of tasks, which then is the number of cores: no setting determines it,
// and it is above Spark's minimum of two.
func bySpark(tasks int, set map[string]string) bool { return set[parallelism] == "" && tasks > 2 }

// coresOf returns the cluster's cores. A survey has as many tasks as there are cores, but at least two, or as many as a
// setting says. In these cases the cores count with which the executors were started, if they are known: further tasks
// ran one after the other.
func coresOf(tasks int, executors map[string]int, set map[string]string) int {
	if bySpark(tasks, set) {
		return tasks
	}
	all := 0
	for _, cores := range executors {
		if cores == 0 {
			var n int
			if _, err := fmt.Sscanf(set[master], "local[%d]", &n); err == nil && n > 0 {
				return min(tasks, n)
			}
			return tasks
		}
		all += cores
	}
	if all == 0 {
		return tasks
	}
	return min(tasks, all)
}

// atOnce returns how many tasks run at once, given the cores that a task takes. It counts on each executor separately
// if the cores of an executor are known.
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
