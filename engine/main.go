package engine

import (
	"fmt"
	"os"
)

// WorkerVariable is set in the environment of a process that a driver starts as its worker. Its value names the
// protocol that the driver will speak.
const WorkerVariable = "DL4GO_WORKER"

// RegisterProtocol makes known what a worker speaks. serve ends the process. Package worker calls it in init.
func RegisterProtocol(name string, serve func()) {
	if _, taken := protocols[name]; taken {
		panic(fmt.Sprintf("protocol %q is registered twice", name))
	}
	protocols[name] = serve
}

var protocols = map[string]func(){}

// Main comes first in the main function of every program that uses dl4go, since the same binary is driver and worker.
// In a driver it returns at once. In a worker it does not return, so that a worker never goes on as a second driver:
// it serves the driver, or, where it does not know the driver's protocol, says so and exits with 2.
func Main() {
	protocol := os.Getenv(WorkerVariable)
	if protocol == "" {
		return
	}
	os.Unsetenv(WorkerVariable) // what a user's code starts is no worker
	if serve := protocols[protocol]; serve != nil {
		serve()
	}
	fmt.Fprintf(os.Stderr, "dl4go: started as a worker for protocol %s, which this binary does not speak: "+
		"driver and workers must be the same build\n", protocol)
	os.Exit(2)
}
