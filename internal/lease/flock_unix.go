//go:build unix

package lease

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock locks a file until the file is closed, for this process alone or shared with others. It fails with errLocked if
// another process's lock forbids that, and with errors.ErrUnsupported if the file system has no locks.
func flock(f *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
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

// unlock releases the lock of a file.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// openLock opens a lock that another process made. It neither follows links nor waits for a pipe.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
