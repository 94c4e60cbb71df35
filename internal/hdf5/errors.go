package hdf5

import (
	"errors"
	"fmt"
)

// errMissing is the error for a member that a group does not have.
var errMissing = errors.New("it is missing")

// IsMissing reports whether an error says that a group has no such member.
func IsMissing(err error) bool { return errors.Is(err, errMissing) }

func errorIn(path, format string, args ...any) error {
	return &Error{-1, path, fmt.Errorf(format, args...)}
}
