package deploy

import (
	"fmt"
	"strconv"
	"strings"
)

// Settings of a cluster that say how many of its cores a task takes, and how many an executor has.
const (
	taskCores     = "spark.task.cpus"
	executorCores = "spark.executor.cores"
	instances     = "spark.executor.instances"
	dynamic       = "spark.dynamicAllocation.enabled"
	parallelism   = "spark.default.parallelism"
	master        = "spark.master"
)

var slotSettings = []string{taskCores, executorCores, instances, dynamic, parallelism, master}

// executorLine has a task say which executor it is of, by the process's number, and how many cores that was started
// with. Where it does not say, as in Spark's local mode, there is no number of cores.
const executorLine = `echo $PPID $(cat -v /proc/$PPID/cmdline 2>/dev/null | grep -o "[-]-cores.@[0-9]*" | head -n 1)`

// parseExecutor reads that line. cores is 0 where they are not known.
func parseExecutor(line string) (name string, cores int) {
	name, said, _ := strings.Cut(line, " ")
	if _, n, ok := strings.Cut(said, "@"); ok {
		cores, _ = strconv.Atoi(n)
	}
	return name, cores
}

// bySpark says whether Spark made as many tasks as there are cores: no setting says how many, and it makes two at
// least.
func bySpark(tasks int, set map[string]string) bool { return set[parallelism] == "" && tasks > 2 }

// coresOf is the cluster's cores. A survey has as many tasks as there are, and two at least, or as many as a
// setting says: then those count with which the executors were started, as far as that is known, and tasks beyond
// them ran one after the other.
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
