package deploy

import "strconv"

// census finds the executors of a cluster by asking tasks which one they run on. An executor that is busy, with what is
// left of another job, or that is about to come back, has none of them: its tasks run elsewhere, one after the other.
type census struct {
	set       map[string]string
	tasks     int            // of the first question
	executors map[string]int // their cores
}

// patient is how often promised executors that aren't there are asked for, half a second or more each time.
const patient = 60

// take asks for as many tasks as Spark takes by itself. While fewer cores are seen, it asks for one more than
// these, which linger, so that a core that becomes free has the one that waits. It ends when it sees nothing new
// and no executor that was promised is lacking.
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

// cores is the sum of those that were seen. It isn't known in Spark's local mode.
func (c *census) cores() (all int, known bool) {
	for _, cores := range c.executors {
		if cores == 0 {
			return 0, false
		}
		all += cores
	}
	return all, true
}

// promised is how many cores the settings ask the cluster's manager for, as far as there are tasks for them: 0
// where these come and go, or nothing is said.
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
