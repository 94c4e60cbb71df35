// Package spark is the engine sc://host:port: a Spark cluster, through Spark Connect. Importing the package makes the
// master strings sc://… known to engine.Open; the program must call engine.Main first in its main function.
//
// This program's file goes to the cluster as an artifact and runs inside Spark's tasks, by SQL's TRANSFORM, as a worker
// that speaks package worker's protocol. Data sets are tables of that protocol's records (see table): every partition
// begins with a header, so that it starts a worker even where it has no rows, and ends with its commit, which the next
// worker, or the driver, verifies.
package spark

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

func init() {
	engine.RegisterScheme(engine.Scheme{
		Name:  "sc",
		Forms: "sc://host:port (a Spark Connect server)",
		Open: func(ctx context.Context, master string, o engine.Options) (engine.Engine, error) {
			a, err := connect.ParseAddress(master)
			if err != nil {
				return nil, &engine.MasterError{Master: a.String(), Reason: err.Error()}
			}
			return New(ctx, a, o, connect.Options{Log: o.Log})
		},
	})
}

// settings of the session. Partitions must stay as they are.
var settings = map[string]string{
	"spark.sql.adaptive.enabled":                          "false",
	"spark.sql.execution.arrow.compression.codec":         "none",
	"spark.sql.inMemoryColumnarStorage.compressed":        "false",
	"spark.sql.inMemoryColumnarStorage.batchSize":         "256",
	"spark.sql.scriptTransformation.exitTimeoutInSeconds": "10",
}

var errClosed = errors.New("the engine was closed")

// Engine is a session on a Spark cluster.
type Engine struct {
	session *connect.Session
	options engine.Options
	slots   int
	build   string // of this program, which its artifact's name has
	name    string // of this engine: in the names of its views and artifacts
	base    context.Context
	end     context.CancelCauseFunc
	jobs    sync.WaitGroup

	mu         sync.Mutex
	issued     int
	levels     map[*engine.Dataset]engine.StorageLevel // that Persist asked for
	kept       map[*engine.Dataset]*keeping
	broadcasts map[engine.BroadcastID]string // files of tasks
}

// New begins a session.
func New(ctx context.Context, a connect.Address, o engine.Options, c connect.Options) (*Engine, error) {
	o = o.WithDefaults()
	if o.Threads == 0 {
		o.Threads = 1
	}
	session, err := connect.Open(ctx, a, c)
	if err != nil {
		return nil, err
	}
	e := &Engine{session: session, options: o, name: "dl4go" + strings.ReplaceAll(session.ID(), "-", ""),
		levels: make(map[*engine.Dataset]engine.StorageLevel), kept: make(map[*engine.Dataset]*keeping),
		broadcasts: make(map[engine.BroadcastID]string)}
	e.base, e.end = context.WithCancelCause(context.Background())
	if err := e.begin(ctx); err != nil {
		session.Close(ctx)
		return nil, err
	}
	return e, nil
}

func (e *Engine) begin(ctx context.Context) error {
	var err error
	if e.build, err = worker.Build(); err != nil {
		return fmt.Errorf("this program's own file, which workers are to run, can't be read: %w", err)
	}
	path, err := worker.Executable()
	if err != nil {
		return err
	}
	program, err := connect.ArtifactFile("files/"+e.program(), path)
	if err != nil {
		return err
	}
	if err := e.session.Set(ctx, settings); err != nil {
		return err
	}
	if err := e.session.AddArtifacts(ctx, program); err != nil {
		return err
	}
	// Spark cuts a range in as many partitions as tasks can run at once.
	count := connect.SQL("SELECT count(DISTINCT p) FROM (SELECT spark_partition_id() AS p FROM range(0, 1000000))")
	return e.session.Collect(ctx, count, connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			e.slots = int(b.Columns[0].Int(i))
		}
		return nil
	})
}

func (e *Engine) program() string { return "dl4go-" + e.build }

// Master is the server's address.
func (e *Engine) Master() string { return e.session.Address().String() }

// Slots is the number of tasks that the cluster runs at once, as it was when the engine was opened.
func (e *Engine) Slots() int { return e.slots }

// Threads is the number of threads of each task.
func (e *Engine) Threads() int { return e.options.Threads }

// Close ends running jobs and the session, with which Spark drops what it kept for it.
func (e *Engine) Close() error {
	if context.Cause(e.base) != nil {
		return nil
	}
	e.end(errClosed)
	e.jobs.Wait()
	ctx := context.Background()
	e.mu.Lock()
	kept := e.kept
	e.kept = make(map[*engine.Dataset]*keeping)
	e.mu.Unlock()
	for _, k := range kept {
		e.drop(ctx, k)
	}
	return e.session.Close(ctx)
}

// unique is a name that nothing else of the engine has.
func (e *Engine) unique(what string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.issued++
	return e.name + what + strconv.Itoa(e.issued)
}

// Broadcast sends the value to the server, from where each executor fetches it once.
func (e *Engine) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	if err := context.Cause(e.base); err != nil {
		return nil, err
	}
	name := e.unique("b")
	if err := e.session.AddArtifacts(ctx, connect.ArtifactBytes("files/"+name, value)); err != nil {
		return nil, err
	}
	id := engine.BroadcastID(name)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broadcasts[id] = "./*/" + name
	return &broadcast{e, id}, nil
}

type broadcast struct {
	engine *Engine
	id     engine.BroadcastID
}

func (b *broadcast) ID() engine.BroadcastID { return b.id }

func (b *broadcast) Release() {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	delete(b.engine.broadcasts, b.id)
}
