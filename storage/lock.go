package storage

import "errors"

// ErrLocked is the error of a Lock that another process has.
var ErrLocked = errors.New("another process has it locked")
