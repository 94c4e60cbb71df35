package distributed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// countedFiles is storage in memory that counts the bytes read.
type countedFiles struct {
	files sync.Map // content by URL
	read  atomic.Int64
	most  atomic.Int64 // bytes of a single read
}

var counted = &countedFiles{}

func init() { storage.Register("counted", counted) }

func (c *countedFiles) Open(_ context.Context, url string) (storage.File, error) {
	content, ok := c.files.Load(url)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return countedFile{bytes.NewReader(content.([]byte)), c}, nil
}

func (c *countedFiles) Put(context.Context, string, io.Reader, int64) error {
	return errors.ErrUnsupported
}
func (c *countedFiles) CheckWritable(context.Context, string) error { return errors.ErrUnsupported }
func (c *countedFiles) List(context.Context, string) ([]storage.Entry, error) {
	return nil, fs.ErrNotExist
}
func (c *countedFiles) Remove(context.Context, string) error { return errors.ErrUnsupported }

type countedFile struct {
	*bytes.Reader
	all *countedFiles
}

func (f countedFile) count(n int) {
	f.all.read.Add(int64(n))
	f.all.most.Store(max(f.all.most.Load(), int64(n)))
}

func (f countedFile) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.count(n)
	return n, err
}

func (f countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.Reader.ReadAt(p, at)
	f.count(n)
	return n, err
}

func (countedFile) Close() error { return nil }

func (countedFile) ModTime() time.Time { return time.Unix(1, 0) }

// wideFile returns a Parquet file of 20 row groups with 1000 rows and 20 columns. n counts the rows.
func wideFile(t *testing.T) []byte {
	t.Helper()
	schema := &pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"}}}
	for i := range 19 {
		schema.Columns = append(schema.Columns, pipeline.DoubleColumn{Name: fmt.Sprint("x", i)})
	}
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, schema)
	if err != nil {
		t.Fatal(err)
	}
	w.GroupRows = 1000
	for i := range 20000 {
		row := pipeline.Row{pipeline.Long(int64(i))}
		for k := range 19 {
			row = append(row, pipeline.Double(float64(i*(k+1))/7))
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRawParts: a worker reads the footer of a Parquet file, and the columns and row groups that it needs. The two that
// are wanted of twenty columns, in two of twenty row groups, are 1 % of the file.
func TestRawParts(t *testing.T) {
	const url = "counted://wide.parquet"
	file := wideFile(t)
	counted.files.Store(url, file)
	counted.read.Store(0)
	counted.most.Store(0)
	p := &source.Preparation{Task: source.Regression, Labels: []string{"x3"}, Outputs: []string{"x3"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"},
			pipeline.DoubleColumn{Name: "x3"}}},
			Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "n",
				Op: pipeline.LessThan, Value: 18000}}}}}
	as, err := p.Wanted(true)
	if err != nil {
		t.Fatal(err)
	}
	n := source.Name{Kind: "parquet", Place: url}
	table, err := distributed.OpenRaw(t.Context(), onEngine(t, "local[2]"), n, distributed.RawOptions{As: as})
	if err != nil {
		t.Fatal(err)
	}
	const tail = 64 << 10 // holds the footer
	if read := counted.read.Swap(0); read != tail {
		t.Errorf("%d of %d bytes were read to find the columns, wanted %d", read, len(file), tail)
	}
	s, err := table.Source(t.Context(), distributed.OpenOptions{Options: source.Options{Preparation: p}, Count: true})
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info(); i.Examples != 2000 || i.Filtered != 18000 {
		t.Errorf("there are %d examples, and %d are filtered", i.Examples, i.Filtered)
	}
	wanted := int64(len(file) / 20 / 20 * 2 * 2)
	if read := counted.read.Load() - tail; read < wanted/2 || read > 2*wanted {
		t.Errorf("%d of %d bytes were read after the footer, wanted about %d", read, len(file), wanted)
	}
	if most := counted.most.Load(); most > 1<<20 {
		t.Errorf("%d bytes were read at once", most)
	}
}
