//go:build !unix

package lease

import (
	"errors"
	"os"
)

// flock is not available on this system.
func flock(*os.File, bool) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return errors.ErrUnsupported }

func openLock(path string) (*os.File, error) { return os.Open(path) }
