package main

import (
	"runtime/debug"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/checkup"
)

// leastMemory is the memory that the program needs for itself.
const leastMemory = 128 << 20

// sentMemory is the number of bytes of examples that stay in memory until they are sent to a cluster. Further examples
// wait on disk, because sending rows already holds them in memory twice.
const sentMemory = 16 << 20

// bound limits the memory of the run. Half of it is for examples; if they need more, they go to disk.
func bound(t *training, given bool) error {
	if t.work.cluster() {
		if given {
			return usagef("--memory is about this machine: it has no effect with --master %s", t.master)
		}
		t.settings.Room = &source.Room{Memory: sentMemory}
		return nil
	}
	limit, err := checkup.Budget(t.memory)
	if err != nil {
		return usagef("--memory %s: %w", t.memory, err)
	}
	if given { // without the flag, a large network may have more, and the collector need not run more often than usual
		frugal(25)
		t.limit = limit
		t.prepared.settings.Memory = max(limit, leastMemory) / 2 // the examples come later
		debug.SetMemoryLimit(max(limit/2, leastMemory))
	}
	t.settings.Room = &source.Room{Memory: limit / 2, Moved: func(dir string) {
		t.out.Line("the examples need more memory than half of what the run may take: they go to disk, in %s", dir)
	}}
	return nil
}
