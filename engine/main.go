package engine

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/registry"
)

// WorkerVariable is set in the environment of a process that a driver starts as its worker. Its value names the
// protocol that the driver will speak.
const WorkerVariable = "DL4GO_WORKER"

// RegisterProtocol makes known what a worker speaks. serve ends the process. Package worker calls it in init.
func RegisterProtocol(name string, serve func()) {
	protocols.Add(name, serve)
}

var protocols = registry.New[func()]("protocol of workers")

// ErrNoMain is the error of opening an engine of worker processes in a program that has not called [Main]. Its workers
// would run the program itself, or, in go test, the package's other tests.
var ErrNoMain = errors.New("engine.Main was not called, so this program cannot run as a worker; call engine.Main() " +
	"first in main, and in tests in TestMain: func TestMain(m *testing.M) { engine.Main(); os.Exit(m.Run()) }")

// MainCalled says whether this program has called [Main]. Engines of worker processes open with [ErrNoMain] before.
func MainCalled() bool { return mainCalled.Load() }

var mainCalled atomic.Bool

// Main comes first in the main function of every program that uses dl4go, since the same binary is driver and worker.
// In a driver it returns at once. In a worker it does not return, so that a worker never goes on as a second driver:
// it serves the driver, or, where it does not know the driver's protocol, says so and exits with 2.
//
// A test's program is a program too. In a package whose tests open an engine, it is called in TestMain:
//
//	func TestMain(m *testing.M) {
//		engine.Main()
//		os.Exit(m.Run())
//	}
func Main() {
	mainCalled.Store(true)
	protocol := os.Getenv(WorkerVariable)
	if protocol == "" {
		return
	}
	os.Unsetenv(WorkerVariable) // what a user's code starts is no worker
	if serve, ok := protocols.Get(protocol); ok {
		serve()
	}
	fmt.Fprintf(os.Stderr, "dl4go: started as a worker for protocol %s, which this binary does not speak: "+
		"driver and workers must be the same build\n", protocol)
	os.Exit(2)
}
