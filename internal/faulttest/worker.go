package faulttest

import (
	"bytes"
	"os"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// Main comes first in TestMain, in place of engine.Main: it is that, but for workers that speak worker.Text, to whom
// the faults happen.
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

// tasks are those that the worker was told and has not answered, in order.
type tasks struct {
	mu   sync.Mutex
	open []*task
}

func (t *tasks) push(next *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, next)
}

// first gives the task that is answered next, or nil.
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

// task is one that faults wait for.
type task struct {
	faults []live
	held   *live // the fault that makes the output late
	lines  bytes.Buffer
	read   int
	wrote  int
}

// at gives the faults that happen now.
func (t *task) at(p Point, row int) []Deed {
	var now []Deed
	for _, f := range t.faults {
		if f.Deed != Late && f.Point == p && f.Row == row && f.claim() {
			now = append(now, f.Deed)
		}
	}
	return now
}

// column gives a line's column, from 0.
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

// kill ends the process at once.
func kill() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {}
}
