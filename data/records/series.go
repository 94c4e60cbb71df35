package records

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// SeriesMode says how the lines of a sequence become its steps and columns: see [CSVSeries].
type SeriesMode int

// The modes.
const (
	Chained    SeriesMode = iota // each value is a step of one column; the lines follow each other
	SameLength                   // each line is a column; all must have the same number of values
	Padded                       // each line is a column; shorter ones are filled at their end with Pad
)

// SeriesOptions are settings of [CSVSeries].
type SeriesOptions struct {
	CSVOptions
	Mode SeriesMode
	// Separator matches the lines between sequences. Nil means empty lines.
	Separator *regexp.Regexp
	// Pad fills the shorter lines of Padded.
	Pad pipeline.Value
}

// CSVSeries reads sequences of which each is some lines, up to a line that the Separator matches. The values of a line
// are steps: see [SeriesMode]. All sequences must have the same number of columns.
func CSVSeries(ctx context.Context, path string, o SeriesOptions) (source.Rows, error) {
	if o.Separator == nil {
		o.Separator = regexp.MustCompile("")
	}
	l, err := openLines(ctx, path, o.Skip)
	if err != nil {
		return nil, err
	}
	s := &series{lines: l, o: o, separator: whole(o.Separator), schema: pipeline.Schema{Sequence: true}}
	if s.ahead, s.err = s.read(); s.err != nil && s.err != io.EOF {
		l.Close()
		return nil, s.err
	}
	width := len(s.ahead)
	if o.Mode == Chained {
		width = 1
	}
	for i := range width {
		s.schema.Columns = append(s.schema.Columns, pipeline.StringColumn{Name: strconv.Itoa(i)})
	}
	s.ready = true
	return s, nil
}

// CSVSteps reads a sequence from each line. Its values are the steps, each with one column.
func CSVSteps(ctx context.Context, path string, o CSVOptions) (source.Rows, error) {
	l, err := openLines(ctx, path, o.Skip)
	if err != nil {
		return nil, err
	}
	return &series{lines: l, o: SeriesOptions{CSVOptions: o}, schema: pipeline.Schema{Sequence: true,
		Columns: []pipeline.Column{pipeline.StringColumn{Name: "0"}}}}, nil
}

type series struct {
	*lines
	o         SeriesOptions
	separator *regexp.Regexp // nil: each line is a sequence
	schema    pipeline.Schema
	ahead     [][]string // the lines of the first sequence, if they are ready
	err       error      // of ahead
	ready     bool
	place     string
}

func (s *series) Schema() *pipeline.Schema { return &s.schema }
func (s *series) Place() string            { return s.place }

// read returns the fields of the lines of the next sequence. If one of them is bad, it passes over the others.
func (s *series) read() (all [][]string, bad error) {
	all = [][]string{}
	for n := 0; ; n++ {
		line, err := s.next()
		if err == io.EOF && n > 0 {
			return all, bad
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			s.place = s.lines.Place()
		}
		if s.separator != nil && s.separator.MatchString(line) {
			return all, bad
		}
		fields, err := s.o.source().Fields(line)
		if err != nil && bad == nil {
			bad = &source.RowError{Err: fmt.Errorf("%s: %w", s.lines.Place(), err)}
		}
		if all = append(all, fields); s.separator == nil {
			return all, bad
		}
	}
}

// Next reads the next sequence.
func (s *series) Next() (item pipeline.Item, err error) {
	lines, err := s.ahead, s.err
	if !s.ready {
		lines, err = s.read()
	}
	s.ready = false
	if err != nil {
		return item, err
	}
	item.Sequence = []pipeline.Row{}
	if s.o.Mode == Chained {
		for _, line := range lines {
			for _, field := range line {
				item.Sequence = append(item.Sequence, pipeline.Row{pipeline.Text(field)})
			}
		}
		return item, nil
	}
	if item.Sequence, err = s.columns(lines); err != nil {
		err = &source.RowError{Err: fmt.Errorf("%s: %w", s.place, err)}
	}
	return item, err
}

// columns returns the steps of lines that are columns.
func (s *series) columns(lines [][]string) ([]pipeline.Row, error) {
	steps := []pipeline.Row{}
	if len(lines) == 0 {
		return steps, nil
	}
	if n := len(s.schema.Columns); len(lines) != n {
		return nil, fmt.Errorf("this sequence has %d lines, and the first one %d", len(lines), n)
	}
	longest := 0
	for i, line := range lines {
		if s.o.Mode == SameLength && len(line) != len(lines[0]) {
			return nil, fmt.Errorf("line %d of this sequence has %d values, and its first one %d", i+1, len(line), len(lines[0]))
		}
		longest = max(longest, len(line))
	}
	for k := range longest {
		step := make(pipeline.Row, len(lines))
		for i, line := range lines {
			if step[i] = s.o.Pad; k < len(line) {
				step[i] = pipeline.Text(line[k])
			}
		}
		steps = append(steps, step)
	}
	return steps, nil
}
