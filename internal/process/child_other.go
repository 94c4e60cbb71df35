//go:build !linux

package process

import (
	"os"
	"os/exec"
)

// endWithThread does nothing on this system: a worker ends when its input ends, or soon after its parent.
func endWithThread(*exec.Cmd) {}

func widen(*os.File) {}

// exiting is not known on this system.
func exiting(int) bool { return false }
