// Package process is the engine processes[N]: N child processes of this program on this machine. Each is a worker that
// runs one task at a time. The engine is for isolation, and for tests that kill, stop and damage workers. Users open
// it through package internal/local. The program must call [engine.Main] first in its main function, and a test program
// in TestMain: without it, opening the engine fails.
//
// Scheduling, persistence, exchanges and retries are those of local[N]: rows are kept in this process, and go to a
// worker and back for each task. Broadcasts are files in a temporary directory that only this user can read. A worker
// that dies, stops, hangs, or gives an invalid answer is killed, and the next attempt has a new one. No worker
// outlives this process.
package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/slots"
	"github.com/dl4go/dl4go/internal/worker"
)

func init() {
	engine.RegisterScheme(engine.Scheme{
		Name:  "processes",
		Forms: "processes[N] (child processes of this program), processes[*] (one for each core)",
		Open: func(_ context.Context, master string, o engine.Options) (engine.Engine, error) {
			n, err := slots.Parse(master, "processes")
			if err != nil {
				return nil, err
			}
			return New(n, o, Options{})
		},
	})
}

// Options are settings of processes. The zero value has the defaults.
type Options struct {
	// Silence is how long a worker with a task may be silent before it is considered dead; the default is a minute. The
	// end of its process is noticed at once: this is for one that hangs or is stopped. A live worker gives a sign of
	// life ten times as often, also in the middle of an operation.
	Silence time.Duration
	// Text makes workers use lines of text, as in Spark's tasks, instead of binary messages. It is for tests.
	Text bool
}

func (o Options) framing() worker.Framing {
	if o.Text {
		return worker.Text
	}
	return worker.Binary
}

// New starts an engine of n workers. Their processes are started on demand.
func New(n int, o engine.Options, p Options) (engine.Engine, error) {
	o = o.WithDefaults()
	if p.Silence == 0 {
		p.Silence = time.Minute
	}
	if !engine.MainCalled() {
		return nil, fmt.Errorf("processes[%d]: %w", n, engine.ErrNoMain)
	}
	build, err := worker.ChildBuild()
	if err != nil {
		return nil, fmt.Errorf("this program's own file, which workers are to run, can't be read: %w", err)
	}
	values := &broadcasts{under: o.TempDir, files: make(map[engine.BroadcastID]string)}
	workers, told := make([]slots.Worker, n), new(atomic.Int64)
	for i := range workers {
		workers[i] = &slot{options: o, process: p, build: build, values: values, told: told}
	}
	return slots.New(fmt.Sprintf("processes[%d]", n), workers, values, o), nil
}

// broadcasts stores the values in files.
type broadcasts struct {
	under string

	mu    sync.Mutex
	dir   *slots.RunDir
	files map[engine.BroadcastID]string
}

// Put writes a value's file.
func (b *broadcasts) Put(id engine.BroadcastID, value []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dir == nil {
		dir, err := slots.NewRunDir(b.under)
		if err != nil {
			return err
		}
		b.dir = dir
	}
	path := filepath.Join(b.dir.Path, string(id))
	if err := os.WriteFile(path, value, 0o600); err != nil {
		return errors.Join(engine.Advised(err), ignoreMissing(os.Remove(path)))
	}
	b.files[id] = path
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove removes a value.
func (b *broadcasts) Remove(id engine.BroadcastID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if path, ok := b.files[id]; ok {
		delete(b.files, id)
		os.Remove(path)
	}
}

// paths returns the current paths of the values.
func (b *broadcasts) paths() map[engine.BroadcastID]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths := make(map[engine.BroadcastID]string, len(b.files))
	for id, path := range b.files {
		paths[id] = path
	}
	return paths
}

// Close removes all files.
func (b *broadcasts) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dir == nil {
		return nil
	}
	return b.dir.Remove(context.Background())
}
