package local

import (
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/process"
)

// ProcessOptions are settings of [NewProcesses]. The zero value has the defaults.
type ProcessOptions struct {
	// Silence is how long a worker may be silent during a task before it is lost (default 10 s). A live worker reports
	// ten times as often, even in the middle of an operation.
	Silence time.Duration
}

// NewProcesses starts the engine processes[N]: n child processes of this program, each a worker that does one task at a
// time. Use it to isolate workers from the driver. The program must call [engine.Main] first in its main function, and
// a test's program in TestMain; otherwise NewProcesses fails. Close the engine to end its processes.
func NewProcesses(n int, o engine.Options, p ProcessOptions) (engine.Engine, error) {
	return process.New(n, o, process.Options{Silence: p.Silence})
}
