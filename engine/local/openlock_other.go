//go:build !unix

package local

import "os"

func openLock(path string) (*os.File, error) { return os.Open(path) }
