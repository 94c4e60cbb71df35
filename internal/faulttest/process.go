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

// Process is a process of this machine: its number, and when it began, since numbers are given again.
type Process struct {
	PID   int
	Began string // in the kernel's ticks
}

// self is this process.
func self() Process {
	p := Process{PID: os.Getpid()}
	p.Began, _ = p.stat()
	return p
}

// stat gives when the process with that number began, and its state; nothing where there is none.
func (p Process) stat() (began, state string) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return "", ""
	}
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	fields := strings.Fields(rest) // the third one of the file is the first one here
	return fields[19], fields[0]
}

// Gone says whether there is no such process any more, or only its exit status is left.
func (p Process) Gone() bool {
	began, state := p.stat()
	return began == "" || began != p.Began || state == "Z"
}

// WantGone wants a process to end.
func (p Process) WantGone(t *testing.T) {
	t.Helper()
	await.Until(t, fmt.Sprintf("worker process %d to end", p.PID), p.Gone)
}

// Leave has this process leave a mark in a folder, for WantLeftGone.
func Leave(dir string) error {
	b, err := json.Marshal(self())
	if err == nil && !mark(filepath.Join(dir, rand.Text()), b) {
		err = errors.New("no mark could be left")
	}
	return err
}

// Left gives the files of the marks in a folder. Those that are not complete yet have a dot in their names.
func Left(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	return slices.DeleteFunc(files, func(f string) bool { return strings.Contains(filepath.Base(f), ".") })
}

// WantLeftGone wants the processes to end before long that left marks in a folder, and counts the marks.
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
