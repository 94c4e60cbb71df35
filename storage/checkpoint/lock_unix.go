//go:build unix

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps other processes out as long as the file is open. Where the file system has no locks, nothing does.
func lock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == syscall.EINTR:
		case err == syscall.EWOULDBLOCK:
			return fmt.Errorf("%s is locked: %w", f.Name(), ErrInUse)
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.EINVAL):
			return nil
		case err != nil:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}
