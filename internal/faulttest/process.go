package faulttest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/await"
)

// Process identifies a process of this machine by its ID and start time, since IDs are reused.
type Process struct {
	PID   int
	Began string // the start time in the kernel's ticks
}

// self returns the Process of this process.
func self() Process {
	p := Process{PID: os.Getpid()}
	p.Began, _ = p.stat()
	return p
}

// stat returns the start time and state of the process with that ID, or empty strings if there is none.
func (p Process) stat() (began, state string) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return "", ""
	}
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	fields := strings.Fields(rest) // fields[0] is the file's third field
	return fields[19], fields[0]
}

// Gone reports whether the process has ended, even if its parent has not yet collected its exit status.
func (p Process) Gone() bool {
	began, state := p.stat()
	return began == "" || began != p.Began || state == "Z"
}

// WantGone waits until the process ends. The test fails if it doesn't.
func (p Process) WantGone(t *testing.T) {
	t.Helper()
	await.Until(t, fmt.Sprintf("worker process %d to end", p.PID), func() (any, bool) {
		_, state := p.stat()
		return state, p.Gone()
	})
}

// Leave writes a mark of this process to a folder, for WantLeftGone.
func Leave(dir string) error {
	b, err := json.Marshal(self())
	if err == nil && !mark(filepath.Join(dir, rand.Text()), b) {
		err = errors.New("no mark could be left")
	}
	return err
}

// Left returns the marks' files in a folder. It leaves out incomplete files, which have a dot in their names.
func Left(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	return slices.DeleteFunc(files, func(f string) bool { return strings.Contains(filepath.Base(f), ".") })
}

// WantLeftGone waits until the processes that left marks in a folder have ended. It returns the number of marks.
func WantLeftGone(t *testing.T, dir string) int {
	t.Helper()
	files := Left(t, dir)
	for _, file := range files {
		var p Process
		b, err := os.ReadFile(file)
		must(t, err)
		must(t, json.Unmarshal(b, &p))
		p.WantGone(t)
	}
	return len(files)
}
