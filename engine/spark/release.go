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
// each in its fetch cache as long as the executor lives. So workers remove what is not needed any more: the driver
// tells each the last that it has released, and copies go when they are old.
type released struct {
	Values   []string `json:",omitempty"` // files of the sessions' folders
	Sessions []string `json:",omitempty"` // files that only these sessions' folders have
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

// releasedTask is what a Task says of them.
func (e *valueStore) releasedTask() json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, _ := json.Marshal(e.released)
	return b
}

func init() {
	worker.RegisterRelease(release)
	engine.RegisterProtocol(deploy.SweepProtocol, func() {
		io.Copy(io.Discard, os.Stdin) // or Spark would complain of a broken pipe
		sweep(released{Sessions: os.Args[1:]}, time.Now())
		os.Exit(0)
	})
}

// release is the worker's side. What can't be removed, since another task is at it too, is gone or is tried again.
func release(conf json.RawMessage) {
	var r released
	if json.Unmarshal(conf, &r) == nil {
		sweep(r, time.Now())
	}
}

// sweep removes what was released, and what killed drivers have left in the cache: at each task, and at the end of each
// command, so that dl4go clean does it, which runs no task.
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
