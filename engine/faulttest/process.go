package faulttest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
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

// WantGone wants a process to end before long.
func (p Process) WantGone(t *testing.T) {
	t.Helper()
	const patience = 30 * time.Second
	for start := time.Now(); !p.Gone(); time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Errorf("worker process %d still runs after %v", p.PID, patience)
			return
		}
	}
}
