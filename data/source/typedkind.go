package source

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// typedKind is a kind of files with typed columns.
type typedKind struct {
	format typedFormat
	about  About
}

// typedSettings are the settings of tables whose files name and type the columns.
var typedSettings = append([]Setting{
	{Name: "label", Value: "COLUMNS", Text: "label columns", Default: "the last column is taken for a label",
		List: true},
	{Name: "key", Flag: "keys", Value: "COLUMNS", Text: "columns that identify an example", List: true},
	{Name: "weights", Value: "COLUMN", Text: "how much each example counts in training", Rare: true},
	{Name: "classes", Value: "N", Text: "number of classes"},
	{Name: "names", Value: "LIST", Text: "the classes, in order", List: true},
	{Name: "regression", Text: "labels are numbers, not classes", Switch: true},
	{Name: "image", Value: "HxW", Text: "features are pixels of such an image", Rare: true},
	badRowsSetting,
}, sequenceSettings...)

// About describes the kind.
func (k typedKind) About() About { return k.about }

// Check finds mistakes in the settings.
func (k typedKind) Check(n Name, _ Options) error {
	_, err := k.options(n, Options{})
	return err
}

// options returns the settings, which are a subset of those of csv:.
func (k typedKind) options(n Name, o Options) (CSV, error) {
	if n.Place == "" {
		return CSV{}, specf("a file is needed: %s", k.about.Form)
	}
	if n.Place == "-" {
		return CSV{}, specf("%s: data is read from files, not from standard input", n.Kind)
	}
	c, err := csvOf(n)
	c.Schema = o.As
	return c, err
}

// Open reads all rows into memory.
func (k typedKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	r, err := k.rows(ctx, n, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.readAll(); err != nil {
		return nil, err
	}
	t, err := r.table()
	if err != nil {
		return nil, err
	}
	t.info.Name = n.String()
	return t, nil
}

// rows returns a reader of all rows.
func (k typedKind) rows(ctx context.Context, n Name, o Options) (*typedRows, error) {
	c, err := k.options(n, o)
	if err != nil {
		return nil, err
	}
	r := newTypedRows(k.format, n.Place, c, false)
	r.ctx = ctx
	r.files, err = deepFiles(ctx, n.Place)
	return r, err
}

// openIn stores the rows on disk.
func (k typedKind) openIn(ctx context.Context, n Name, o Options) (Source, error) {
	r, err := k.rows(ctx, n, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return o.Room.storeGathered(&r.gathered, func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.more(typedBatch)
	}, n.String())
}

// Stream reads the rows once.
func (k typedKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	c, err := k.options(n, o)
	if err != nil {
		return nil, err
	}
	r := newTypedRows(k.format, n.Place, c, o.Unlabelled)
	if err := r.options.checkStream(!o.Unlabelled); err != nil {
		return nil, err
	}
	r.ctx = ctx
	if r.files, err = deepFiles(ctx, n.Place); err != nil {
		return nil, err
	}
	return &typedStream{typedRows: r}, nil
}

// Streams is false if the labels are classes without names, as only all rows together tell the classes.
func (k typedKind) Streams(n Name, o Options) bool {
	c, err := k.options(n, Options{})
	return o.Unlabelled || err == nil && (c.Label == "none" || c.Regression || c.Names != nil)
}

// ByWorkers is true for URLs.
func (k typedKind) ByWorkers(n Name) bool { return tableByWorkers(n, k.Check(n, Options{})) }

// ReadsParts marks the files: only the wanted columns and blocks of rows are read.
func (k typedKind) ReadsParts() {}

// FileInfo describes the examples of a file.
func (k typedKind) FileInfo(n Name, o Options, path string, content Content) (Info, error) {
	r, err := k.ofFile(n, o, path, content)
	if err != nil {
		return Info{}, err
	}
	return r.streamInfo(), nil
}

// ReadFile reads the rows of a file. Hidden files, such as Spark's _SUCCESS, have none.
func (k typedKind) ReadFile(n Name, o Options, path string, content Content,
	each func(*data.MultiDataSet) error) error {
	if storage.Hidden(path) {
		return nil
	}
	r, err := k.ofFile(n, o, path, content)
	if err == nil {
		err = r.options.checkStream(!o.Unlabelled)
	}
	for err == nil && r.reader != nil {
		r.empty()
		if err = r.more(typedBatch); err != nil {
			break
		}
		var m *data.MultiDataSet
		if m, err = r.minibatch(); err == nil {
			err = each(m)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// typedStream reads the rows of files as minibatches.
type typedStream struct{ *typedRows }

// Info describes the rows.
func (s *typedStream) Info() Info { return s.streamInfo() }

// Live returns false, as all files are complete.
func (s *typedStream) Live() bool { return false }

// Next returns the next rows.
func (s *typedStream) Next() (*data.MultiDataSet, error) {
	s.empty()
	if err := s.more(typedBatch); err != nil {
		return nil, err
	}
	return s.minibatch()
}

// Close closes the open file.
func (s *typedStream) Close() error { return s.close() }
