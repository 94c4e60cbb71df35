package worker

import (
	"fmt"
	"os"
	"path/filepath"
)

// counter counts the attempts at a task on this machine, for drivers that don't know of attempts: its file has a byte
// for each. The empty counter counts nothing.
type counter string

func attemptCounter(t Task) counter {
	if t.Counter == "" {
		return ""
	}
	return counter(filepath.Join(CounterDir(t.Counter), fmt.Sprintf("%s-%d", t.Job, t.Partition)))
}

// CounterDir is where the files of a Task.Counter are, on the worker's machine.
func CounterDir(name string) string { return filepath.Join(os.TempDir(), filepath.Base(name)) }

// next is the number of this attempt, or otherwise where there is none.
func (c counter) next(otherwise int) int {
	if c == "" || os.MkdirAll(filepath.Dir(string(c)), 0o700) != nil {
		return otherwise
	}
	f, err := os.OpenFile(string(c), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return otherwise
	}
	defer f.Close()
	if _, err := f.Write([]byte{'.'}); err != nil {
		return otherwise
	}
	info, err := f.Stat()
	if err != nil {
		return otherwise
	}
	return int(info.Size())
}

// remove forgets the attempts at a task that succeeded.
func (c counter) remove() {
	if c != "" {
		os.Remove(string(c))
		os.Remove(filepath.Dir(string(c))) // the last one takes the folder along
	}
}
