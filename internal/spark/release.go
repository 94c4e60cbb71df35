package spark

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/worker"
)

// Spark leaves a session's artifacts on the executors for half an hour after its last task there, and a second copy of
// each in its fetch cache as long as the executor lives. So workers remove obsolete files: the driver tells each worker
// the latest released ones, and old copies are removed.
type released struct {
	Values   []string `json:",omitempty"` // files in the sessions' folders
	Sessions []string `json:",omitempty"` // marks: files that only these sessions' folders have
}

const (
	releasedValues   = 32
	releasedSessions = 4
)

func (r *released) values(name string) {
	r.Values = append(r.Values, name)
	r.Values = r.Values[max(0, len(r.Values)-releasedValues):]
}

func (r *released) session(mark string) {
	r.Sessions = append(r.Sessions, mark)
	r.Sessions = r.Sessions[max(0, len(r.Sessions)-releasedSessions):]
}

// releasedTask returns the value of Task.Released.
func (e *valueStore) releasedTask() json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, _ := json.Marshal(e.released)
	return b
}

func init() {
	worker.RegisterRelease(release)
	engine.RegisterProtocol(deploy.SweepProtocol, func() {
		io.Copy(io.Discard, os.Stdin) // otherwise Spark would complain about a broken pipe
		sweep(released{Sessions: os.Args[1:]}, time.Now())
		os.Exit(0)
	})
}

// release is the worker's side. If another task is removing the same files, failures don't matter.
func release(conf json.RawMessage) {
	var r released
	if json.Unmarshal(conf, &r) == nil {
		sweep(r, time.Now())
	}
}

// sweep removes released files, and old copies of killed drivers from the cache. It runs in each task, and at the end
// of each command: so dl4go clean also does it, although it runs no task.
func sweep(r released, now time.Time) {
	cache := newFetchCache(os.Getenv)
	remove(r, cache)
	cache.tidy(now)
}

// remove removes files from the sessions' folders, and their copies from the cache.
func remove(r released, cache fetchCache) {
	for _, name := range r.Values {
		found, _ := filepath.Glob("./*/" + name)
		for _, file := range found {
			cache.drop(file)
		}
	}
	for _, mark := range r.Sessions {
		found, _ := filepath.Glob("./*/" + mark)
		for _, mark := range found {
			for _, file := range folder(filepath.Dir(mark)) {
				cache.drop(file)
			}
		}
	}
}

// folder lists the files of a directory.
func folder(dir string) (files []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	return files
}
