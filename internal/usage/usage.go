// Package usage reports mistakes in a command line: flags that can't be given together, and wrong values.
package usage

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// Error is a mistake in the command line.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [Error].
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Choose finds a flag's value among the allowed ones, regardless of case.
func Choose[T ~string](flag, value string, all ...T) (T, error) {
	var names []string
	for _, v := range all {
		if strings.EqualFold(string(v), value) {
			return v, nil
		}
		names = append(names, string(v))
	}
	return "", Errorf("--%s %q: it is one of %s%s", flag, value, strings.Join(names, ", "),
		registry.SuggestWord(value, names))
}
