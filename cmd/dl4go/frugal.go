package main

import (
	"os"
	"runtime/debug"
)

// frugal lets the garbage collector run twice as often as usual. The driver of a cluster computes little: its memory,
// which may be that of a small gateway machine, matters more than its CPU time. GOGC in the environment has the last
// word.
func frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}
