package main

import (
	"os"
	"runtime/debug"
)

// frugal lets the garbage collector run once memory has grown by this many percent. What computes little, such as the
// driver of a cluster, needs memory more than CPU time. GOGC in the environment has the last word.
func frugal(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
