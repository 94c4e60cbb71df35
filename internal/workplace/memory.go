package workplace

import (
	"os"
	"runtime/debug"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/usage"
)

// leastMemory is the memory that the program needs for itself.
const leastMemory = 128 << 20

// sentMemory is the number of bytes of examples that stay in memory until they are sent to a cluster. Further examples
// wait on disk, because sending rows already holds them in memory twice.
const sentMemory = 16 << 20

// Memory bounds the memory of a run.
type Memory struct {
	Limit  int64        // of the run, in bytes; 0: none
	Counts int64        // of that, for the counts of a proposed pipeline; 0: as usual
	Room   *source.Room // for examples
}

// Bound limits the memory of this process, by --memory if it is given. Half of it is for examples; if they need more,
// they go to disk.
func (w *Place) Bound(memory string, given bool) (m Memory, err error) {
	if w.Cluster() {
		if given {
			return m, usage.Errorf("--memory is about this machine: it has no effect with --master %s", w.Engine.Master)
		}
		m.Room = &source.Room{Memory: sentMemory}
		return m, nil
	}
	limit, err := checkup.Budget(memory)
	if err != nil {
		return m, usage.Errorf("--memory %s: %w", memory, err)
	}
	// Garbage of half of the memory in use takes 1 % of the processor time of reading a table. Without the flag, a large
	// network may have more memory.
	if frugal(50); given {
		frugal(25)
		m.Limit = limit
		m.Counts = max(limit, leastMemory) / 2 // the examples come later
		debug.SetMemoryLimit(max(limit/2, leastMemory))
	}
	m.Room = &source.Room{Memory: limit / 2, Moved: func(dir string) {
		w.Out.Line("the examples need more memory than half of what the run may take: they go to disk, in %s", dir)
	}}
	return m, nil
}

// frugal makes the garbage collector run once memory has grown by this percentage. A process that computes little,
// such as the driver of a cluster, needs memory more than CPU time. GOGC in the environment takes precedence.
func frugal(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
