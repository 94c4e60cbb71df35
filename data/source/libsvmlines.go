package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxLine limits the bytes of a line.
const maxLine = 64 << 20

// LibSVMError is an error in a file in LIBSVM's format, with its line.
type LibSVMError struct {
	Path    string
	Line    int // from 1; 0 if the problem has no line
	Problem string
}

func (e *LibSVMError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Problem)
}

// point is a line. Its slices are valid until the next line is read.
type point struct {
	line    int
	label   float64
	indices []int32 // from 0
	values  []float32
}

// points reads lines.
type points struct {
	path     string
	in       *bufio.Scanner
	utf16    bool
	features int // limit of the indices; 0 means none
	p        point
}

func newPoints(path string, r io.Reader, o LibSVM) *points {
	buffered := bufio.NewReaderSize(r, 64<<10)
	in := bufio.NewScanner(buffered)
	in.Buffer(make([]byte, 64<<10), maxLine)
	buffered.Peek(2)
	head, _ := buffered.Peek(min(8, buffered.Buffered())) // only the bytes that are here: more may be long in coming
	return &points{path: path, in: in, utf16: UTF16(head), features: o.Features}
}

// next returns the next line with an example, or io.EOF after the last one.
func (r *points) next() (point, error) {
	if r.utf16 {
		return r.p, &LibSVMError{r.path, 0, "it is text in UTF-16: save it as UTF-8"}
	}
	for r.in.Scan() {
		r.p.line++
		text, _, _ := strings.Cut(r.in.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if err := r.p.read(fields, r.features); err != nil {
			return r.p, &LibSVMError{r.path, r.p.line, err.Error()}
		}
		return r.p, nil
	}
	if err := r.in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return r.p, &LibSVMError{r.path, r.p.line + 1,
			fmt.Sprintf("the line is longer than %d bytes: this is not a file in LIBSVM's format", maxLine)}
	} else if err != nil {
		return r.p, fmt.Errorf("%s: %w", r.path, err)
	}
	return r.p, io.EOF
}

func eachPoint(path string, r io.Reader, o LibSVM, each func(point) error) error {
	lines := newPoints(path, r, o)
	for {
		p, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = each(p)
		}
		if err != nil {
			return err
		}
	}
}

// read parses the fields of a line. features limits the indices, unless it is 0.
func (p *point) read(fields []string, features int) (err error) {
	p.indices, p.values = p.indices[:0], p.values[:0]
	if p.label, err = number(fields[0]); err != nil {
		return fmt.Errorf("the label %w", err)
	}
	fields = fields[1:]
	if len(fields) > 0 && strings.HasPrefix(fields[0], "qid:") {
		fields = fields[1:]
	}
	last := 0
	for _, f := range fields {
		before, after, ok := strings.Cut(f, ":")
		index, err := strconv.ParseInt(before, 10, 32)
		if !ok || err != nil {
			return fmt.Errorf("%q is not INDEX:VALUE", shorten(f))
		}
		i := int(index)
		switch {
		case i < 1:
			return fmt.Errorf("the index %d: indices begin at 1", i)
		case i == last:
			return fmt.Errorf("the index %d is there twice", i)
		case i < last:
			return fmt.Errorf("the index %d comes after %d: indices must ascend", i, last)
		case features > 0 && i > features:
			return fmt.Errorf("the index %d is beyond features=%d", i, features)
		}
		v, err := number(after)
		if err != nil {
			return fmt.Errorf("index %d: %w", i, err)
		}
		p.indices, p.values = append(p.indices, int32(i-1)), append(p.values, float32(v))
		last = i
	}
	return nil
}

// number parses a finite number in float32's range.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
		return 0, fmt.Errorf("%q is not a finite number", shorten(s))
	}
	return v, nil
}
