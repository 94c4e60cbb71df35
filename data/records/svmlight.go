package records

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// SVMLightOptions are settings of [SVMLight].
type SVMLightOptions struct {
	Features int  // number of features
	OneBased bool // the index of the first feature is 1, not 0
	Label    bool // append the label as a column after the features
	// Labels, if not 0, is the number of labels that may be present at the same time. Each becomes a column of 0 and 1,
	// and a line has a list of the labels that are present.
	Labels         int
	ZeroBasedLabel bool // the first of these labels is 0, not 1
}

// SVMLight reads a row from each line of the form "LABEL INDEX:VALUE … # comment". The columns are the features, where
// missing ones are 0, and the label as it is written. qid:N is ignored.
func SVMLight(ctx context.Context, path string, o SVMLightOptions) (source.Rows, error) {
	if o.Features < 1 || o.Features > 1<<20 {
		return nil, fmt.Errorf("%s: %d features: from 1 to %d are possible", path, o.Features, 1<<20)
	}
	if o.Labels < 0 || o.Labels > 1<<20 {
		return nil, fmt.Errorf("%s: %d labels: from 0 to %d are possible", path, o.Labels, 1<<20)
	}
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	r := &svmLight{path: path, file: f, o: o, lines: bufio.NewScanner(f)}
	r.lines.Buffer(nil, 16<<20)
	for i := range o.Features {
		r.schema.Columns = append(r.schema.Columns, pipeline.DoubleColumn{Name: strconv.Itoa(i)})
	}
	if o.Label {
		for i := range max(1, o.Labels) {
			r.schema.Columns = append(r.schema.Columns, pipeline.DoubleColumn{Name: fmt.Sprint("label", i)})
		}
	}
	return r, nil
}

type svmLight struct {
	path   string
	file   io.Closer
	o      SVMLightOptions
	lines  *bufio.Scanner
	line   int
	schema pipeline.Schema
}

func (r *svmLight) Schema() *pipeline.Schema { return &r.schema }
func (r *svmLight) Place() string            { return r.path + ":" + strconv.Itoa(r.line) }
func (r *svmLight) Close() error             { return r.file.Close() }

// Next reads the next line.
func (r *svmLight) Next() (item pipeline.Item, err error) {
	for r.lines.Scan() {
		r.line++
		text, _, _ := strings.Cut(r.lines.Text(), "#")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if item.Row, err = r.row(text); err != nil {
			err = &source.RowError{Err: fmt.Errorf("%s: %w", r.Place(), err)}
		}
		return item, err
	}
	if err := r.lines.Err(); err != nil {
		return item, fmt.Errorf("%s:%d: %w", r.path, r.line+1, err)
	}
	return item, io.EOF
}

func (r *svmLight) row(text string) (pipeline.Row, error) {
	row := make(pipeline.Row, r.o.Features, len(r.schema.Columns))
	for i := range row {
		row[i] = pipeline.Double(0)
	}
	fields := strings.Fields(text)
	label := ""
	if text[0] != ' ' && text[0] != '\t' {
		label, fields = fields[0], fields[1:]
	}
	for _, f := range fields {
		index, value, ok := strings.Cut(f, ":")
		if index == "qid" && ok {
			continue
		}
		n, err := strconv.Atoi(index)
		if r.o.OneBased {
			n--
		}
		if err != nil || !ok || n < 0 || n >= r.o.Features {
			return nil, fmt.Errorf("%.40q is no INDEX:VALUE with an index of one of the %d features", f, r.o.Features)
		}
		x, err := pipeline.Text(value).Double()
		if err != nil {
			return nil, err
		}
		row[n] = pipeline.Double(x)
	}
	if !r.o.Label {
		return row, nil
	}
	return r.label(row, label)
}

// label appends the label.
func (r *svmLight) label(row pipeline.Row, text string) (pipeline.Row, error) {
	if r.o.Labels == 0 {
		if text == "" {
			return nil, errors.New("there is no label")
		}
		if n, err := pipeline.Text(text).Integer(); err == nil {
			return append(row, pipeline.Integer(n)), nil
		}
		x, err := pipeline.Text(text).Double()
		return append(row, pipeline.Double(x)), err
	}
	for range r.o.Labels {
		row = append(row, pipeline.Integer(0))
	}
	for s := range strings.SplitSeq(text, ",") {
		if s == "" && text == "" {
			break
		}
		n, err := strconv.Atoi(s)
		if !r.o.ZeroBasedLabel {
			n--
		}
		if err != nil || n < 0 || n >= r.o.Labels {
			return nil, fmt.Errorf("%.40q is none of the %d labels", s, r.o.Labels)
		}
		row[r.o.Features+n] = pipeline.Integer(1)
	}
	return row, nil
}
