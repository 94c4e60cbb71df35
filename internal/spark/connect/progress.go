package connect

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// Progress is the progress of a query.
type Progress struct {
	Stages  []Stage
	Running int // running tasks
}

// Stage is one stage of a query's job.
type Stage struct {
	ID          int64
	Tasks, Done int
	BytesRead   int64
}

// Tasks returns how many tasks of all stages that have begun are done, and how many there are.
func (p Progress) Tasks() (done, total int) {
	for _, s := range p.Stages {
		done += s.Done
		total += s.Tasks
	}
	return done, total
}

// String says how many tasks are done, run and wait: "of 8 tasks, 2 are done, 1 runs and 5 wait for a free slot".
func (p Progress) String() string {
	done, total := p.Tasks()
	is := func(n int, one, more string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprint(n, " ", more)
	}
	return fmt.Sprintf("of %s, %s, %s and %s for a free slot", is(total, "task", "tasks"), is(done, "is done", "are done"),
		is(p.Running, "runs", "run"), is(max(0, total-done-p.Running), "waits", "wait"))
}

func progress(p *protocol.ExecutePlanResponse_ExecutionProgress) Progress {
	out := Progress{Running: int(p.NumInflightTasks)}
	for _, s := range p.Stages {
		out.Stages = append(out.Stages, Stage{s.StageId, int(s.NumTasks), int(s.NumCompletedTasks), s.InputBytesRead})
	}
	return out
}

// late says, for a missed deadline, how far an execution had come.
func (e *execution) late() string {
	done, total := e.progress.Tasks()
	switch {
	case total == 0:
		return "its execution did not end"
	case e.progress.Running == 0 && done < total:
		return fmt.Sprintf("its execution did not end (%v: other jobs, or workers that a cancelled job left, hold all "+
			"slots, or "+
			"the cluster has no executor for it)", e.progress)
	}
	return fmt.Sprintf("its execution did not end (%v)", e.progress)
}
