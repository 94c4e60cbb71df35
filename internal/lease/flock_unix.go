//go:build unix

package lease

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock locks a file for this process as long as the file is open. It fails with errLocked if another process has
// locked it, and with errors.ErrUnsupported if the file system has no locks.
func flock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == syscall.EINTR:
		case err == syscall.EWOULDBLOCK:
			return fmt.Errorf("%s: %w", f.Name(), errLocked)
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP),
			errors.Is(err, syscall.EINVAL):
			return fmt.Errorf("locking %s: %w", f.Name(), errors.ErrUnsupported)
		case err != nil:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}

// openLock opens a lock that another process made. It neither follows links nor waits for a pipe.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
