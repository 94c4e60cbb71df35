//go:build unix

package faulttest

import (
	"os"
	"syscall"
)

// stop stops the process, as Ctrl-Z does; when somebody continues it, it goes on.
func stop() error { return syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
