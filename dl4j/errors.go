package dl4j

import (
	"errors"
	"fmt"
	"strings"
)

// FormatError is a problem in a file, with its place.
type FormatError struct {
	Path   string // the file; empty if only bytes were given
	Entry  string // the entry of a zip, if the file is one
	Offset int64  // the byte in the file or entry with the problem; -1 if not applicable
	At     string // the place in a JSON document, as in confs[2].layer.activationFn; empty for other files
	Err    error  // the problem
}

func (e *FormatError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.Entry != "" {
		b.WriteString(e.Entry + ": ")
	}
	if e.At != "" {
		b.WriteString(e.At + ": ")
	}
	b.WriteString(e.Err.Error())
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " (at byte %d)", e.Offset)
	}
	return b.String()
}

func (e *FormatError) Unwrap() error { return e.Err }

// In adds the file, and the entry of a zip if there is one, to a [FormatError] that does not name them yet. It returns
// other errors unchanged.
func In(err error, path, entry string) error {
	var f *FormatError
	if !errors.As(err, &f) {
		return err
	}
	g := *f
	if g.Path == "" {
		g.Path = path
	}
	if g.Entry == "" {
		g.Entry = entry
	}
	return &g
}

// formatErrorf returns a FormatError at a byte.
func formatErrorf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Err: fmt.Errorf(format, args...)}
}
