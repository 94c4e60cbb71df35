package source

import "bytes"

// csvRecord is the state of parsing a record with quotes. Offsets count from the record's first byte.
type csvRecord struct {
	*csvParser
	at, end   int // of the next byte, and of the end of the line that was read last
	line      int // of the next byte
	lineBegin int // its offset
}

func (r *csvRecord) place() place {
	return place{line: r.line, column: r.at - r.lineBegin + 1, file: r.path}
}

// rest returns the rest of the line, without its end.
func (r *csvRecord) rest() []byte { return withoutEnd(r.buf[r.from+r.at : r.from+r.end]) }

// field parses the next field, and reports whether another one follows.
func (r *csvRecord) field() (more bool, err error) {
	r.places = append(r.places, r.place())
	rest := r.rest()
	if len(rest) > 0 && rest[0] == r.quote {
		return r.quotedField()
	}
	i := bytes.Index(rest, r.comma)
	more = i >= 0
	if more {
		rest = rest[:i]
	}
	if k := bytes.IndexByte(rest, r.quote); k >= 0 {
		r.at += k
		return false, r.errorf(r.place(), "bare %c in non-quoted field", r.quote)
	}
	r.bare = append(r.bare, rest...)
	r.at += len(rest) + len(r.comma)
	return more, nil
}

// quotedField parses a quoted field, which may span several lines.
func (r *csvRecord) quotedField() (more bool, err error) {
	opens, length := r.place(), 0
	r.at++
	for {
		line := r.buf[r.from+r.at : r.from+r.end]
		i := bytes.IndexByte(line, r.quote)
		if i < 0 {
			content := withoutEnd(line)
			r.bare = append(r.bare, content...)
			if bytes.HasSuffix(line, []byte("\n")) {
				r.bare = append(r.bare, '\n')
			}
			if length += len(line); length > maxQuoted {
				return false, r.errorf(opens, "the quote that opens here is not closed within %d bytes", maxQuoted)
			}
			if err := r.nextLine(opens); err != nil {
				return false, err
			}
			continue
		}
		r.bare = append(r.bare, line[:i]...)
		r.at += i + 1
		if length += i + 1; length > maxQuoted {
			return false, r.errorf(opens, "the quote that opens here is not closed within %d bytes", maxQuoted)
		}
		rest := r.rest()
		switch {
		case len(rest) == 0:
			return false, nil
		case rest[0] == r.quote:
			r.bare = append(r.bare, r.quote)
			r.at++
		case bytes.HasPrefix(rest, r.comma):
			r.at += len(r.comma)
			return true, nil
		default:
			return false, r.errorf(opens,
				"the quote that opens here is closed in line %d, column %d, and %q follows: a quote in a field is written twice",
				r.line, r.at-r.lineBegin, rest[0])
		}
	}
}

// nextLine reads the next line within quotes.
func (r *csvRecord) nextLine(opens place) error {
	end, err := r.lineEnd(r.end)
	if err == nil && end == r.end {
		err = r.errorf(opens, "the quote that opens here is never closed")
	}
	if err != nil {
		return err
	}
	r.at, r.lineBegin, r.end = r.end, r.end, end
	r.line++
	return nil
}
