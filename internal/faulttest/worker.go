package faulttest

import (
	"bytes"
	"os"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// Main replaces engine.Main and comes first in TestMain. It does the same, except that workers that speak worker.Text
// suffer the faults.
func Main() {
	if os.Getenv(engine.WorkerVariable) == worker.Text.Protocol() {
		os.Unsetenv(engine.WorkerVariable)
		worker.Main(worker.Text, func(s worker.Streams) worker.Streams {
			told := new(tasks)
			s.In, s.Out = &input{from: s.In, tasks: told}, &output{to: s.Out, tasks: told}
			return s
		})
	}
	engine.Main()
}

// tasks are the tasks that the worker has received and not answered, in order.
type tasks struct {
	mu   sync.Mutex
	open []*task
}

func (t *tasks) push(next *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, next)
}

// first returns the task that is answered next, or nil.
func (t *tasks) first() *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) == 0 {
		return nil
	}
	return t.open[0]
}

func (t *tasks) pop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = t.open[1:]
}

// task is a task of the worker, with its faults.
type task struct {
	faults []live
	held   *live // the fault that delays the output, or nil
	lines  bytes.Buffer
	read   int
	wrote  int
}

// at returns the faults that happen now.
func (t *task) at(p Point, row int) []Deed {
	var now []Deed
	for _, f := range t.faults {
		if f.Deed != Late && f.Point == p && f.Row == row && f.claim() {
			now = append(now, f.Deed)
		}
	}
	return now
}

// column returns column n of a line, counted from 0.
func column(line []byte, n int) []byte {
	for range n {
		_, line, _ = bytes.Cut(line, []byte{'\t'})
	}
	c, _, _ := bytes.Cut(line, []byte{'\t'})
	return bytes.TrimSuffix(c, []byte{'\n'})
}

func kindOf(line []byte) worker.Kind {
	if c := column(line, 3); len(c) == 1 {
		return worker.Kind(c[0])
	}
	return 0
}

// kill kills this process with SIGKILL.
func kill() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {}
}
