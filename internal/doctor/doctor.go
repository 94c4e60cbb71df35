// Package doctor checks whether a Spark cluster can run dl4go, and says how to fix what is missing.
package doctor

import (
	"context"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
)

// Options are requirements on the cluster. The zero value has none.
type Options struct {
	Workers int    // that should run at the same time
	Kernel  string // the instruction set for computations; by default the best of this machine
	Dir     string // a directory to save to, as Spark sees it
}

// slotWait is how long an examination waits for a slot.
const slotWait = 2 * time.Minute

// Checks returns the checks of the cluster named by a master string, in their order; close ends them. Mistakes in the
// master string, and in files that it needs, are errors; the checks find all other problems.
func Checks(master string, o engine.Options, want Options) (checks []checkup.Check, close func(), err error) {
	e := &exam{wanted: want, options: o.WithDefaults()}
	if e.address, e.client, err = endpoint.Named(master, e.options); err != nil {
		return nil, nil, err
	}
	e.open = func(ctx context.Context) (server, error) { return newSession(ctx, e.address, e.client) }
	e.start = func(ctx context.Context) (engine.Engine, error) {
		return spark.Open(ctx, master, e.options)
	}
	return e.checks(), e.close, nil
}

// exam is a running examination.
type exam struct {
	wanted  Options
	options engine.Options
	address connect.Address
	client  connect.Options
	open    func(context.Context) (server, error)
	start   func(context.Context) (engine.Engine, error)

	server   server
	engine   engine.Engine
	settings map[string]string
	slots    int
	facts    []facts // of the executors that ran tasks
	asked    [2]time.Time
}

// server is the part of a session that an examination needs.
type server interface {
	Version() string
	Get(ctx context.Context, keys ...string) (map[string]string, error)
	Set(ctx context.Context, settings map[string]string) error
	// AddArtifacts sends files.
	AddArtifacts(ctx context.Context, artifacts ...connect.Artifact) error
	// Query returns the first column, which must be text. A query that takes too long is abandoned.
	Query(ctx context.Context, sql string) ([]string, error)
	Command(ctx context.Context, sql string) error
	// Survey sends this program. It returns the number of tasks that run at once, and the command that starts the
	// program.
	Survey(ctx context.Context, o engine.Options, patience time.Duration) (slots int, command string, err error)
	// Routes returns the addresses at which workers look for the server.
	Routes(ctx context.Context) ([]string, error)
	Close(ctx context.Context) error
}

func (e *exam) checks() []checkup.Check {
	const workers = "workers"
	one := func(f func(context.Context) checkup.Finding) func(context.Context) []checkup.Finding {
		return func(ctx context.Context) []checkup.Finding { return []checkup.Finding{f(ctx)} }
	}
	on := []string{"connection"}
	started := []string{workers}
	all := []checkup.Check{
		{Name: "connection", Run: one(e.connection)},
		{Name: "version", Needs: on, Run: one(e.version)},
		{Name: "encryption", Needs: on, Run: one(e.encryption)},
		{Name: "settings", Needs: on, Run: e.judgeSettings},
		{Name: "server", Needs: on, Run: one(e.judgeDirect)},
		{Name: "artifacts", Needs: on, Run: one(e.artifacts)},
		{Name: "views", Needs: on, Deadline: slotWait, Run: one(e.views)},
		{Name: "transform", Needs: on, Deadline: slotWait, Run: one(e.transform)},
		{Name: workers, Needs: []string{"artifacts", "transform"}, Deadline: slotWait + 35*time.Minute, Run: one(e.workers)},
		{Name: "slots", Needs: started, Run: one(e.judgeSlots)},
		{Name: "kernels", Needs: started, Run: one(e.judgeKernels)},
		{Name: "memory", Needs: started, Run: one(e.judgeMemory)},
		{Name: "disk", Needs: started, Run: one(e.judgeDisk)},
		{Name: "clocks", Needs: started, Run: one(e.clocks)},
		{Name: "lease", Needs: started, Run: one(e.judgeRoutes)},
		{Name: "job", Needs: []string{workers, "views"}, Deadline: slotWait, Run: one(e.job)},
		{Name: "persistence", Needs: []string{"job"}, Deadline: slotWait, Run: one(e.persistence)},
		{Name: "tables", Needs: []string{"job"}, Deadline: slotWait, Run: one(e.tables)},
	}
	if e.wanted.Dir != "" {
		all = append(all, checkup.Check{Name: "directory", Needs: []string{"job"}, Deadline: slotWait, Run: one(e.directory)})
	}
	return all
}

func (e *exam) close() {
	ctx := context.Background()
	if e.engine != nil {
		e.engine.Close()
	}
	if e.server != nil {
		e.server.Close(ctx)
	}
}

func failed(err error, fix string) checkup.Finding { return checkup.Fail(err.Error(), fix) }
