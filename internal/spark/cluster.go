package spark

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/deploy"
)

// cluster is the common state of all parts of an engine: the server, the settings, and whether the engine is still
// open. Its lock guards the state of all parts.
type cluster struct {
	address connect.Address
	options engine.Options
	client  connect.Options
	slots   int
	here    bool // all executors are on this machine
	program *deploy.Program
	name    string        // of this engine: the names of its views and artifacts begin with it
	asking  time.Duration // between two looks of a worker at the heartbeat
	base    context.Context
	end     context.CancelCauseFunc
	jobs    sync.WaitGroup

	mu     sync.Mutex
	issued int
}

func newCluster(a connect.Address, o engine.Options, client connect.Options, p *deploy.Program) *cluster {
	c := &cluster{address: a, options: o, client: client, program: p, name: engine.RunName(time.Now()) + "_",
		asking: heartbeatAsk}
	c.base, c.end = context.WithCancelCause(context.Background())
	return c
}

// Master returns the server's address.
func (e *cluster) Master() string { return e.address.String() }

// Slots returns the number of tasks that the cluster ran at once when the engine was opened.
func (e *cluster) Slots() int { return e.slots }

// OnThisMachine reports whether all executors that there were when the engine was opened are on this machine.
func (e *cluster) OnThisMachine() bool { return e.here }

// Threads returns the number of threads of each task.
func (e *cluster) Threads() int { return e.options.Threads }

// unique returns a name that is unique within the engine.
func (e *cluster) unique(what string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.issued++
	return fmt.Sprint(e.name, what, e.issued)
}
