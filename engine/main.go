package engine

import (
	"fmt"
	"os"
)

// workerVariable is set in the environment of a process that a driver starts as its worker. Its value names the
// protocol that the driver will speak.
const workerVariable = "DL4GO_WORKER"

// Main comes first in the main function of every program that uses dl4go, since the same binary is driver and worker.
// In a driver it returns at once. In a worker it does not return, so that a worker never goes on as a second driver:
// it serves the driver, or, where it does not know the driver's protocol, says so and exits with 2. The engines of
// this version have all their workers in the driver's process and speak none.
func Main() {
	if protocol := os.Getenv(workerVariable); protocol != "" {
		fmt.Fprintf(os.Stderr, "dl4go: started as a worker for protocol %s, which this binary does not speak: "+
			"driver and workers must be the same build\n", protocol)
		os.Exit(2)
	}
}
