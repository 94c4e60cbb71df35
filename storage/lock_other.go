//go:build !unix

package storage

import (
	"errors"
	"os"
)

// Lock is not there on this system: it fails with errors.ErrUnsupported.
func Lock(*os.File) error { return errors.ErrUnsupported }
