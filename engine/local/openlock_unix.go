//go:build unix

package local

import (
	"os"
	"syscall"
)

// openLock opens a file that somebody else made, whatever it is.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
