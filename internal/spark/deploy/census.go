package deploy

import "strconv"

// census finds the executors of a cluster by asking tasks on which one they run. An executor that is still busy with
// another job, or about to come back, gets no tasks: they run elsewhere, one after the other.
type census struct {
	set       map[string]string
	tasks     int            // of the first query
	executors map[string]int // their cores
}

// patient limits the queries for promised executors that are missing. Each takes half a second or more.
const patient = 60

// take asks for as many tasks as Spark chooses. While it has seen fewer cores than tasks, it asks for one task more
// than cores. The tasks linger, so that the additional task gets the next core that becomes free. take ends when it
// finds nothing new and no promised executor is missing.
func (c *census) take(ask func(tasks int) (int, error)) (err error) {
	if c.tasks, err = ask(0); err != nil {
		return err
	}
	if bySpark(c.tasks, c.set) {
		return nil
	}
	for range patient {
		before, known := c.cores()
		if !known || before == 0 || before >= c.tasks {
			return nil
		}
		if _, err := ask(before + 1); err != nil {
			return err
		}
		after, known := c.cores()
		if known && after == before && after >= c.promised() {
			return nil
		}
	}
	return nil
}

// cores returns the sum of the cores seen. It is unknown in Spark's local mode.
func (c *census) cores() (all int, known bool) {
	for _, cores := range c.executors {
		if cores == 0 {
			return 0, false
		}
		all += cores
	}
	return all, true
}

// promised returns how many cores the settings ask the cluster's manager for, up to the number of tasks: 0 with dynamic
// allocation, or without a setting.
func (c *census) promised() int {
	n, err := strconv.Atoi(c.set[instances])
	if err != nil || c.set[dynamic] == "true" {
		return 0
	}
	cores, err := strconv.Atoi(c.set[executorCores])
	if err != nil {
		cores = 1
	}
	return min(c.tasks, n*cores)
}
