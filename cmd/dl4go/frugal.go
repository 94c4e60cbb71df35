package main

import (
	"os"
	"runtime/debug"
)

// frugal makes the garbage collector run once memory has grown by this percentage. A process that computes little,
// such as the driver of a cluster, needs memory more than CPU time. GOGC in the environment takes precedence.
func frugal(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
