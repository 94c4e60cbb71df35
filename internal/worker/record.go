package worker

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Kind is a record's kind. In a text line it is the letter itself.
type Kind byte

// The kinds of records. A driver sends Job, rows and Commit, and, between tasks, Drop. A worker answers with rows and
// Commit, or with Failed.
const (
	Job    Kind = 'j' // the work: a Task as JSON
	Piece  Kind = 'p' // a part of the next record's data
	Row    Kind = 'r' // a row, or its last part
	Commit Kind = 'c' // the end of the rows: an engine.Commit as JSON
	Failed Kind = 'e' // instead of the commit: a Failure as JSON
	Alive  Kind = 'h' // the worker lives; of no partition
	Stop   Kind = 's' // the rest of the task's rows will not come; of no partition
	Drop   Kind = 'd' // the broadcast of this ID is released (no ID: clear the caches); of no partition
	Log    Kind = 'l' // a line of the task's log, as Logger writes it; not numbered
)

const kinds = "jprcehsdl"

// inSequence reports whether records of the kind are numbered.
func (k Kind) inSequence() bool { return k != Alive && k != Stop && k != Drop && k != Log }

// Record is the unit of the protocol. Records in a table can be sorted by Partition, Attempt, Seq.
type Record struct {
	Partition int
	Attempt   int
	Seq       int64 // its place among the records of this attempt, from 0
	Kind      Kind
	Index     int64 // of a row
	Data      []byte
}

const (
	textPiece   = 1 << 20  // limit of the data in a record that we write: Spark's rows should be small
	binaryPiece = 64 << 20 // the same, on pipes: the limit of memory for data that has not arrived
	// lineLimit bounds a text line: Spark reads a file, or a table's row, in one piece. Memory is allocated as it
	// arrives.
	lineLimit = 1 << 30
)

// Framing is the encoding of records as bytes.
type Framing interface {
	// Protocol names the framing and its version, for the environment of a worker.
	Protocol() string
	piece() int // limit of the data in a record that we write
	appendRecord(b []byte, r *Record) []byte
	// read returns the next record, with newly allocated data. It fails with io.EOF at the end, and with a FramingError
	// if the bytes are no record.
	read(from *bufio.Reader, s *slab) (Record, error)
}

// FramingError says that bytes are no record of the protocol.
type FramingError struct {
	Reason string
	Cut    bool // they end too early
}

func (e *FramingError) Error() string { return e.Reason }

var errCut error = &FramingError{"they end within a record", true}

// Text is a line for each record, in columns separated by tabs: partition, attempt, sequence number, kind, index, data.
// Data is in base64. No data is "-", since Spark drops empty columns at the end of a line.
var Text Framing = text{}

type text struct{}

// The columns of a line.
const (
	partitionColumn = iota
	attemptColumn
	seqColumn
	kindColumn
	indexColumn
	dataColumn
	columns
)

// line is a line's columns.
type line [columns][]byte

func (text) Protocol() string { return "text/1" }
func (text) piece() int       { return textPiece }

func (text) appendRecord(b []byte, r *Record) []byte {
	b = append(strconv.AppendInt(b, int64(r.Partition), 10), '\t')
	b = append(strconv.AppendInt(b, int64(r.Attempt), 10), '\t')
	b = append(strconv.AppendInt(b, r.Seq, 10), '\t')
	b = append(b, byte(r.Kind), '\t')
	b = append(strconv.AppendInt(b, r.Index, 10), '\t')
	if len(r.Data) == 0 {
		return append(b, "-\n"...)
	}
	return append(base64.StdEncoding.AppendEncode(b, r.Data), '\n')
}

func (text) read(from *bufio.Reader, s *slab) (Record, error) {
	line, err := readLine(from)
	if err != nil {
		return Record{}, err
	}
	return parseLine(line, s)
}

// Lines parses a sequence of text lines as records. The zero value is ready.
type Lines struct{ slab slab }

// Parse reads a line, without its end. The record does not share the line's memory; it shares pieces of memory with the
// records before and after it.
func (l *Lines) Parse(line []byte) (Record, error) { return parseLine(line, &l.slab) }

func parseLine(b []byte, s *slab) (Record, error) {
	var l line
	rest, more := b, true
	for i := range l {
		if !more {
			return Record{}, &FramingError{Reason: fmt.Sprintf("a line of %d columns, wanted %d: %s", i, columns, excerpt(b))}
		}
		l[i], rest, more = bytes.Cut(rest, tab)
	}
	if more {
		return Record{}, &FramingError{Reason: fmt.Sprintf("a line of more than %d columns: %s", columns, excerpt(b))}
	}
	return l.record(s)
}

var tab = []byte{'\t'}

// readLine returns a line without its end. It is valid until the next read.
func readLine(from *bufio.Reader) ([]byte, error) {
	line, err := from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		if bytes.Count(line, tab) < dataColumn { // only a record's data can be long
			return nil, &FramingError{Reason: "no record of a worker: " + excerpt(line)}
		}
		long := bytes.Clone(line)
		for err == bufio.ErrBufferFull && len(long) <= lineLimit {
			line, err = from.ReadSlice('\n')
			long = append(long, line...)
		}
		if len(long) > lineLimit {
			return nil, &FramingError{Reason: fmt.Sprintf("a line of more than %d bytes, as no file or row may be: %s",
				lineLimit, excerpt(long))}
		}
		line = long
	}
	if err == io.EOF && len(line) > 0 {
		return nil, errCut
	}
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}

func excerpt(line []byte) string {
	if len(line) > 80 {
		return fmt.Sprintf("%q…", line[:80])
	}
	return fmt.Sprintf("%q", line)
}

// record parses the columns.
func (l *line) record(s *slab) (r Record, err error) {
	ok := len(l[kindColumn]) == 1 && bytes.IndexByte([]byte(kinds), l[kindColumn][0]) >= 0
	integer := func(column int) int64 {
		n, is := number(l[column])
		ok = ok && is
		return n
	}
	r.Partition, r.Attempt = int(integer(partitionColumn)), int(integer(attemptColumn))
	r.Seq, r.Index = integer(seqColumn), integer(indexColumn)
	if !ok {
		return Record{}, &FramingError{Reason: "no record of a worker: " + excerpt(bytes.Join(l[:], tab))}
	}
	r.Kind = Kind(l[kindColumn][0])
	if d := l[dataColumn]; !(len(d) == 1 && d[0] == '-') {
		r.Data = s.take(base64.StdEncoding.DecodedLen(len(d)))
		n, err := base64.StdEncoding.Decode(r.Data, d)
		if err != nil || n == 0 {
			return Record{}, &FramingError{Reason: "data that is not base64: " + excerpt(d)}
		}
		r.Data = r.Data[:n:n]
	}
	return r, nil
}

// number reads a decimal int64, as strconv does, from bytes.
func number(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// Binary is for pipes, which only driver and worker read: a head of fixed size, and the data as it is.
var Binary Framing = binaryFraming{}

type binaryFraming struct{}

func (binaryFraming) Protocol() string { return "binary/1" }
func (binaryFraming) piece() int       { return binaryPiece }

const (
	binaryMark = 0xd4 // begins each record, so that stray text is noticed at once
	binaryHead = 1 + 1 + 4 + 8 + 8 + 8 + 4
)

func (binaryFraming) appendRecord(b []byte, r *Record) []byte {
	b = append(b, binaryMark, byte(r.Kind))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Partition))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Attempt))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Seq))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Index))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Data)))
	return append(b, r.Data...)
}

func (binaryFraming) read(from *bufio.Reader, s *slab) (Record, error) {
	head, err := from.Peek(binaryHead)
	if len(head) > 0 && head[0] != binaryMark {
		return Record{}, &FramingError{Reason: "no record of a worker: " + excerpt(head)}
	}
	if err == io.EOF && len(head) > 0 {
		return Record{}, errCut
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{
		Kind:      Kind(head[1]),
		Partition: int(int32(binary.LittleEndian.Uint32(head[2:]))),
		Attempt:   int(int64(binary.LittleEndian.Uint64(head[6:]))),
		Seq:       int64(binary.LittleEndian.Uint64(head[14:])),
		Index:     int64(binary.LittleEndian.Uint64(head[22:])),
	}
	n := binary.LittleEndian.Uint32(head[30:])
	if bytes.IndexByte([]byte(kinds), head[1]) < 0 || n > binaryPiece {
		return Record{}, &FramingError{Reason: "no record of a worker: " + excerpt(head)}
	}
	from.Discard(binaryHead)
	if n > 0 {
		r.Data = s.take(int(n))
		if _, err = io.ReadFull(from, r.Data); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errCut
		}
	}
	return r, err
}

// slab allocates the data of small records from larger blocks of memory.
type slab struct{ free []byte }

func (s *slab) take(n int) []byte {
	const size = 64 << 10
	if n > size/4 {
		return make([]byte, n)
	}
	if n > len(s.free) {
		s.free = make([]byte, size)
	}
	b := s.free[:n:n]
	s.free = s.free[n:]
	return b
}
