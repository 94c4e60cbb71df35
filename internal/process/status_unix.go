//go:build unix

package process

import (
	"os"
	"syscall"
)

// status is the exit status, or 128 and the signal's number.
func status(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
