package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxRecord bounds a record of a CSV file, in bytes: a million columns. maxQuoted bounds a quoted field.
const (
	maxRecord = 16 << 20
	maxQuoted = 1 << 20
)

// csvGuard passes a CSV file on to its parser, which holds a whole record. It fails when a record is too long or a
// quote is not closed, and knows where that quote opens.
type csvGuard struct {
	path  string
	in    io.Reader
	comma string

	line, column int    // of the next byte, from 1
	length       int    // of the record up to there
	tail         []byte // the last bytes of the line, as many as the comma has
	quoted       bool
	closing      bool // the last byte was a quote in a quoted field: the next one tells what it is
	opens        place
	field        int // bytes of the quoted field
	failed       error
}

func newCSVGuard(path string, in io.Reader, comma rune) *csvGuard {
	if comma == 0 {
		comma = ','
	}
	return &csvGuard{path: path, in: in, comma: string(comma), line: 1, column: 1}
}

// Read passes on what is in order.
func (g *csvGuard) Read(to []byte) (int, error) {
	if g.failed != nil {
		return 0, g.failed
	}
	n, err := g.in.Read(to)
	if g.failed = g.look(to[:n]); g.failed != nil {
		return n, nil // the parser may find something wrong before
	}
	if err == io.EOF && g.quoted && !g.closing {
		g.failed = g.errorf(g.opens, "the quote that opens here is never closed")
		return n, g.failed
	}
	if err != nil && err != io.EOF {
		g.failed = fmt.Errorf("%s: %w", g.path, err)
		err = g.failed
	}
	return n, err
}

func (g *csvGuard) errorf(p place, format string, args ...any) error {
	return &CSVError{g.path, p.line, p.column, fmt.Sprintf(format, args...)}
}

// look goes through the next bytes.
func (g *csvGuard) look(b []byte) error {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '"')
		switch {
		case g.closing:
			g.closing = false
			switch c := b[0]; {
			case c == '"':
				if err := g.pass(b[:1]); err != nil {
					return err
				}
				b = b[1:]
			case c == g.comma[0] || c == '\n' || c == '\r':
				g.quoted = false
			default:
				return g.errorf(g.opens, "the quote that opens here is closed in line %d, column %d, and %q follows: a quote in a field is written twice",
					g.line, g.column-1, b[0])
			}
		case n < 0:
			return g.pass(b)
		default:
			if err := g.pass(b[:n]); err != nil {
				return err
			}
			if g.quoted {
				g.closing = true
			} else if g.length == 0 || strings.HasSuffix(string(g.tail), g.comma) {
				g.quoted, g.opens, g.field = true, place{g.line, g.column}, 0
			}
			if err := g.pass(b[n : n+1]); err != nil {
				return err
			}
			b = b[n+1:]
		}
	}
	return nil
}

// pass counts bytes. Lines end records where nothing is quoted.
func (g *csvGuard) pass(b []byte) error {
	from := place{g.line, 1}
	if g.quoted {
		if g.field += len(b); g.field > maxQuoted {
			return g.errorf(g.opens, "the quote that opens here is not closed within %d bytes", maxQuoted)
		}
	}
	first, last := bytes.IndexByte(b, '\n'), bytes.LastIndexByte(b, '\n')
	if first < 0 {
		g.length, g.column = g.length+len(b), g.column+len(b)
	} else {
		g.line, g.column = g.line+bytes.Count(b, []byte{'\n'}), len(b)-last
		if g.quoted {
			g.length += len(b)
		} else if g.length += first; g.length <= maxRecord {
			g.length = len(b) - last - 1
		}
	}
	if g.length > maxRecord {
		return g.errorf(from, "a record has more than %d bytes: this is no table, or a line's end is missing", maxRecord)
	}
	if first >= 0 {
		g.tail = g.tail[:0]
	}
	if end := b[last+1:]; !g.quoted && len(end) > 0 {
		if k := len(end) - len(g.comma); k >= 0 {
			g.tail = append(g.tail[:0], end[k:]...)
		} else if g.tail = append(g.tail, end...); len(g.tail) > len(g.comma) {
			g.tail = append(g.tail[:0], g.tail[len(g.tail)-len(g.comma):]...)
		}
	}
	return nil
}

// cause is the guard's error, if the parser's error comes from it: where reading ended, or a quote is wrong.
func (g *csvGuard) cause(err error) error {
	if g.failed != nil && (errors.Is(err, g.failed) || errors.Is(err, csv.ErrQuote)) {
		return g.failed
	}
	return nil
}
