package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/pipeline"
)

// maxRecord limits the bytes of a record: a million columns. maxQuoted limits those of a quoted field.
const (
	maxRecord = 16 << 20
	maxQuoted = 1 << 20
)

// csvParser splits a text into the records of RFC 4180. It skips lines that begin with the comment character, and empty
// lines, unless records have one field. After an error in a record, it goes on with the line after the one in which the
// record begins: a quote that is never closed costs one row, not all that follow.
type csvParser struct {
	path    string
	in      io.Reader
	comma   []byte
	comment []byte // empty if there are no comments
	quote   byte

	// buf is a block of the text. Its text does not change once it is read, as fields share it; the next block gets new
	// memory.
	buf      []byte
	from, to int   // in buf: the text that is not yet parsed
	line     int   // of buf[from], from 1
	ended    error // in's last error: io.EOF, or another one
	drop     bool  // the rest of an overlong line is to be skipped
	again    bool  // callers don't keep fields, so that the memory of blocks is reused
	single   bool  // records have one field, so that an empty line is a record

	longest int // bytes of the longest line so far

	begins int             // the line in which the record begins
	start  int             // in buf, where it begins
	spans  []pipeline.Span // of the record's fields, in buf
	fields []string
	bare   []byte  // the record's fields without quotes, one after the other, if it has quotes
	places []place // of the fields, if the record has quotes
}

func newCSVParser(path string, in io.Reader, comma, comment rune) *csvParser {
	if comma == 0 {
		comma = ','
	}
	p := &csvParser{path: path, in: in, comma: utf8.AppendRune(nil, comma), quote: '"', line: 1}
	if comment != 0 {
		p.comment = utf8.AppendRune(nil, comment)
	}
	return p
}

func (p *csvParser) errorf(at place, format string, args ...any) error {
	return &CSVError{Path: p.path, Line: at.line, Column: at.column, Problem: fmt.Sprintf(format, args...)}
}

// read returns the fields of the next record, in a slice that it reuses, or io.EOF after the last one. The texts of the
// fields stay valid, and keep their whole block in memory. An error in the text is a CSVError; reading may go on after
// it.
func (p *csvParser) read() ([]string, error) {
	for {
		end, err := p.lineEnd(0)
		if err != nil {
			return nil, err
		}
		if end == 0 {
			return nil, io.EOF
		}
		line := withoutEnd(p.buf[p.from : p.from+end])
		if len(line) == 0 && !p.single || len(p.comment) > 0 && bytes.HasPrefix(line, p.comment) {
			p.pass(end, 1)
			continue
		}
		p.begins, p.spans, p.places = p.line, p.spans[:0], p.places[:0]
		if bytes.IndexByte(line, p.quote) < 0 {
			p.start = p.from
			p.split(p.from + len(line))
			p.pass(end, 1)
		} else if err := p.quoted(end); err != nil {
			return nil, err
		}
		text := p.text()
		p.fields = p.fields[:0]
		for _, s := range p.spans {
			p.fields = append(p.fields, text[s.From:s.To])
		}
		return p.fields, nil
	}
}

// at returns the place where a field of the last record begins.
func (p *csvParser) at(field int) place {
	if len(p.places) > 0 {
		return p.places[field]
	}
	return place{line: p.begins, column: int(p.spans[field].From) - p.start + 1, file: p.path}
}

// split splits a line without quotes, from p.from to an offset in the block.
func (p *csvParser) split(end int) {
	from := p.from
	for {
		i := bytes.Index(p.buf[from:end], p.comma)
		if i < 0 {
			break
		}
		p.spans = append(p.spans, pipeline.Span{From: uint32(from), To: uint32(from + i)})
		from += i + len(p.comma)
	}
	p.spans = append(p.spans, pipeline.Span{From: uint32(from), To: uint32(end)})
}

// lineEnd reads until there is a whole line from an offset on, and returns the offset of its end. At the end of the
// text it returns the offset itself.
func (p *csvParser) lineEnd(offset int) (int, error) {
	seen := offset
	for {
		if i := bytes.IndexByte(p.buf[p.from+seen:p.to], '\n'); i >= 0 {
			if p.drop {
				p.drop, seen = false, 0
				p.pass(offset+i+1, 1)
				continue
			}
			if seen+i > maxRecord {
				return 0, p.tooLong(offset)
			}
			return seen + i + 1, nil
		}
		seen = p.to - p.from
		switch {
		case p.drop:
			p.from, seen = p.to, 0
		case seen > maxRecord:
			return 0, p.tooLong(offset)
		}
		if p.ended == io.EOF {
			return seen, nil
		}
		if text := (*CSVError)(nil); errors.As(p.ended, &text) {
			return 0, p.ended
		}
		if p.ended != nil {
			return 0, fmt.Errorf("%s: %w", p.path, p.ended)
		}
		p.fill()
	}
}

// tooLong returns the error of an overlong record. If the record is a single line, the rest of the line is skipped.
func (p *csvParser) tooLong(offset int) error {
	err := p.errorf(place{line: p.line, column: 1},
		"a record has more than %d bytes: this is not a table, or a line's end is missing", maxRecord)
	if offset == 0 {
		p.drop = true
	}
	return err
}

// csvBlock is the size of the first block, and laterBlock that of later ones. If lines are long, blocks hold about
// blockLines lines, up to wideBlock bytes. csvRoom is the least free memory for another read into the block.
const (
	csvBlock   = 64 << 10
	laterBlock = 256 << 10
	wideBlock  = 2 << 20
	blockLines = 64
	csvRoom    = 4 << 10
)

// room reports whether the block has room for another read.
func (p *csvParser) room() bool { return len(p.buf)-wordSize-p.to >= csvRoom }

// fill reads once into the block, or into a new one if it is full.
func (p *csvParser) fill() {
	if !p.room() {
		rest, size := p.buf[p.from:p.to], csvBlock
		if p.buf != nil {
			size = laterBlock
		}
		size = max(size, min(2*len(rest), maxRecord+csvBlock), min(blockLines*p.longest, wideBlock))
		size += csvRoom + wordSize
		if !p.again || len(p.buf) < size {
			p.buf = make([]byte, size)
		}
		p.from, p.to = 0, copy(p.buf, rest)
	}
	n, err := p.in.Read(p.buf[p.to : len(p.buf)-wordSize])
	p.to += n
	p.ended = err
}

// pass moves on past lines.
func (p *csvParser) pass(bytes, lines int) {
	p.from += bytes
	p.line += lines
	p.longest = max(p.longest, bytes)
}

// withoutEnd returns a line without its end: a newline, perhaps after a carriage return, or the end of the text.
func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// quoted parses a record that has quotes in its first line, which ends at end. The fields without quotes replace the
// record in the block.
func (p *csvParser) quoted(end int) error {
	r := csvRecord{csvParser: p, end: end, line: p.line}
	p.bare = p.bare[:0]
	for more := true; more; {
		var err error
		from := len(p.bare)
		if more, err = r.field(); err != nil {
			if !p.drop {
				p.pass(end, 1)
			}
			return err
		}
		p.spans = append(p.spans, pipeline.Span{From: uint32(from), To: uint32(len(p.bare))})
	}
	copy(p.buf[p.from:], p.bare)
	for i := range p.spans {
		p.spans[i].From += uint32(p.from)
		p.spans[i].To += uint32(p.from)
	}
	p.pass(r.end, r.line-p.line+1)
	return nil
}

// textLine returns the next line that is not blank, without its end, or io.EOF after the last one.
func (p *csvParser) textLine() (string, error) {
	for {
		end, err := p.lineEnd(0)
		if err == nil && end == 0 {
			err = io.EOF
		}
		if err != nil {
			return "", err
		}
		line := string(withoutEnd(p.buf[p.from : p.from+end]))
		p.begins = p.line
		p.pass(end, 1)
		if strings.TrimSpace(line) != "" {
			return line, nil
		}
	}
}

// skip skips lines.
func (p *csvParser) skip(lines int) error {
	for range lines {
		end, err := p.lineEnd(0)
		if err != nil {
			return err
		}
		if end > 0 {
			p.pass(end, 1)
		}
	}
	return nil
}
