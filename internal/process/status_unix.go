//go:build unix

package process

import (
	"os"
	"syscall"
)

// status returns the exit status, or 128 plus the signal's number.
func status(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
