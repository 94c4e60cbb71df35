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

// cluster is what all parts of an engine know: the server, the settings, and whether the engine is still open. Its lock
// guards the state of all parts.
type cluster struct {
	address connect.Address
	options engine.Options
	client  connect.Options
	slots   int
	program *deploy.Program
	name    string        // of this engine: its views and artifacts have names that begin with it
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

// Master is the server's address.
func (e *cluster) Master() string { return e.address.String() }

// Slots is the number of tasks that the cluster runs at once, as it was when the engine was opened.
func (e *cluster) Slots() int { return e.slots }

// Threads is the number of threads of each task.
func (e *cluster) Threads() int { return e.options.Threads }

// unique is a name that nothing else of the engine has.
func (e *cluster) unique(what string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.issued++
	return fmt.Sprint(e.name, what, e.issued)
}
