//go:build !unix

package local

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }

func openLock(path string) (*os.File, error) { return os.Open(path) }
