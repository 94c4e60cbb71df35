package source

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// tableText is a file of csv: or jsonl: data that a worker reads.
type tableText struct {
	csvReader
	file string
}

// openTableText opens a file, as one of o.Table's if that is known.
func openTableText(c CSV, records records, o Options, path string, content Content) (*tableText, error) {
	c.Schema = o.As
	r := &tableText{newCSVReader(path, c.asKnown(), o.Unlabelled), path}
	r.records, r.mayBeEmpty = records, true
	if o.Table != nil {
		if err := r.ofTable(o.Table); err != nil {
			return nil, err
		}
	}
	if err := r.openFile(path, content, r.options.format(), r.begin, o.Table); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *tableText) look() (TableLook, error) {
	if err := r.some(); err != nil && err != io.EOF {
		return TableLook{}, err
	}
	return r.choice.look(r.file), nil
}

func (r *tableText) labels() ([]FoundLabel, error) { return r.labelsOf(r.some) }

// info describes the examples of a file.
func (r *tableText) info() (Info, error) {
	_, err := r.look()
	return r.streamInfo(), errors.Join(err, r.close())
}

// read calls each with the examples.
func (r *tableText) read(each func(*data.MultiDataSet) error) (err error) {
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.options.checkStream(!r.unlabelled); err != nil {
		return err
	}
	for {
		r.empty()
		err := r.some()
		if err == io.EOF {
			return nil
		}
		var m *data.MultiDataSet
		if err == nil {
			m, err = r.minibatch()
		}
		if err == nil {
			err = each(m)
		}
		if err != nil {
			return err
		}
	}
}

// tableByWorkers reports whether the workers of a cluster read a table without a pipeline. err is that of its settings.
func tableByWorkers(n Name, err error) bool {
	return err == nil && strings.Contains(n.Place, "://") && !Sequenced(n)
}

func (csvKind) settings(n Name, o Options) (CSV, error) {
	c, err := csvOf(n)
	c.Schema = o.As
	return c, err
}

// ByWorkers is true for URLs.
func (k csvKind) ByWorkers(n Name) bool { return tableByWorkers(n, k.Check(n, Options{})) }

func (csvKind) openFile(n Name, o Options, path string, content Content) (tableFile, error) {
	return openCSVFile(n, o, path, content)
}

func openCSVFile(n Name, o Options, path string, content Content) (*tableText, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	return openTableText(c, &csvTable{again: true}, o, path, content)
}

// FileInfo describes the examples of a file.
func (csvKind) FileInfo(n Name, o Options, path string, content Content) (Info, error) {
	r, err := openCSVFile(n, o, path, content)
	if err != nil {
		return Info{}, err
	}
	return r.info()
}

// ReadFile reads the rows of a file.
func (csvKind) ReadFile(n Name, o Options, path string, content Content, each func(*data.MultiDataSet) error) error {
	if storage.Hidden(path) {
		return nil
	}
	r, err := openCSVFile(n, o, path, content)
	if err != nil {
		return err
	}
	return r.read(each)
}

// openFile begins to read a file of a table.
func (t *csvTable) openFile(path string, content Content, f csvFormat, begin func([]string) (bool, error),
	of *TableLook) error {
	t.ctx, t.format, t.header = context.Background(), f, begin
	if of != nil {
		t.first, t.width, t.head = of.Path, of.Width, of.Columns
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return t.openText(path, content, f)
}
