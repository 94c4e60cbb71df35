package source

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

func (jsonlKind) settings(n Name, o Options) (CSV, error) {
	c, err := jsonlOf(n)
	c.Schema = o.As
	return c, err
}

// ByWorkers is true for URLs.
func (k jsonlKind) ByWorkers(n Name) bool { return tableByWorkers(n, k.Check(n, Options{})) }

func (jsonlKind) openFile(n Name, o Options, path string, content Content) (tableFile, error) {
	return openJSONFile(n, o, path, content)
}

func openJSONFile(n Name, o Options, path string, content Content) (*tableText, error) {
	c, err := jsonlOf(n)
	if err != nil {
		return nil, err
	}
	return openTableText(c, &jsonRecords{}, o, path, content)
}

// FileInfo describes the examples of a file.
func (jsonlKind) FileInfo(n Name, o Options, path string, content Content) (Info, error) {
	r, err := openJSONFile(n, o, path, content)
	if err != nil {
		return Info{}, err
	}
	return r.info()
}

// ReadFile reads the rows of a file.
func (jsonlKind) ReadFile(n Name, o Options, path string, content Content, each func(*data.MultiDataSet) error) error {
	if storage.Hidden(path) {
		return nil
	}
	r, err := openJSONFile(n, o, path, content)
	if err != nil {
		return err
	}
	return r.read(each)
}

// openFile begins to read a file of a table.
func (r *jsonRecords) openFile(path string, content Content, _ csvFormat, begin func([]string) (bool, error),
	of *TableLook) error {
	r.begin, r.rows.ctx = begin, context.Background()
	if of != nil {
		r.begin, r.rows.table = nil, &pipeline.Schema{}
		for _, name := range of.Columns {
			r.rows.table.Columns = append(r.rows.table.Columns, pipeline.StringColumn{Name: name})
		}
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text, err := r.rows.fileTexts.text(path, content)
	if err != nil {
		return err
	}
	r.rows.text = newCSVParser(path, text, 0, 0)
	if err := r.rows.begin(path); err != nil {
		return err
	}
	if of != nil && r.rows.schema.Sequence {
		return r.rows.errorf("the line is a sequence, not a row of numbers")
	}
	return nil
}
