package engine

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/registry"
)

// WorkerVariable is the environment variable that a driver sets for a process that it starts as its worker. Its value
// is the name of the protocol between them.
const WorkerVariable = "DL4GO_WORKER"

// RegisterProtocol registers a protocol of workers, for engines, which call it in init. [Main] calls serve in a worker.
// serve must end the process.
func RegisterProtocol(name string, serve func()) {
	protocols.Add(name, serve)
}

var protocols = registry.New[func()]("protocol of workers")

// ErrNoMain is the error of opening an engine of worker processes in a program that has not called [Main]. Its workers
// would run the program itself, or, in go test, the package's other tests.
var ErrNoMain = errors.New("engine.Main was not called, so this program cannot run as a worker; call engine.Main() " +
	"first in main, and in tests in TestMain: func TestMain(m *testing.M) { engine.Main(); os.Exit(m.Run()) }")

// MainCalled reports whether this program has called [Main]. Before that, engines of worker processes do not open
// ([ErrNoMain]).
func MainCalled() bool { return mainCalled.Load() }

var mainCalled atomic.Bool

// Main must be the first call in the main function of a program that uses dl4go, because the same binary is driver and
// worker. In a driver it returns at once. In a worker it does not return: it serves the driver. If it does not know the
// driver's protocol, it prints that and exits with 2.
//
// A test is a program, too. If the tests of a package open an engine, call it in TestMain:
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
	os.Unsetenv(WorkerVariable) // processes that the user's code starts are not workers
	if serve, ok := protocols.Get(protocol); ok {
		serve()
	}
	fmt.Fprintf(os.Stderr, "dl4go: started as a worker for protocol %s, which this binary does not speak: "+
		"driver and workers must be the same build\n", protocol)
	os.Exit(2)
}
