package source

import (
	"context"
	"io"
)

func (k typedKind) settings(n Name, o Options) (CSV, error) { return k.options(n, o) }

// typedTableFile is a file that a worker reads.
type typedTableFile struct{ *typedRows }

func (k typedKind) openFile(n Name, o Options, path string, content Content) (tableFile, error) {
	r, err := k.ofFile(n, o, path, content)
	return typedTableFile{r}, err
}

// ofFile begins to read a file of the place, as one of o.Table's if that is known.
func (k typedKind) ofFile(n Name, o Options, path string, content Content) (*typedRows, error) {
	c, err := k.options(n, o)
	if err != nil {
		return nil, err
	}
	r := newTypedRows(k.format, path, c, o.Unlabelled)
	r.ctx = context.Background()
	if o.Table != nil {
		r.widths = o.Table.Arrays
		if err := r.ofTable(o.Table); err != nil {
			return nil, err
		}
	}
	return r, r.begin(placedFile{path, partitions(partitionRoot(n.Place), path)}, content, content.Size())
}

func (f typedTableFile) look() (TableLook, error) {
	if f.columns == nil { // the file has no rows
		return TableLook{}, nil
	}
	l := f.choice.look(f.file.path)
	l.Arrays = f.widths
	return l, nil
}

func (f typedTableFile) labels() ([]FoundLabel, error) {
	return f.labelsOf(func() error {
		if f.reader == nil {
			return io.EOF
		}
		rows, err := f.reader.Next(typedBatch)
		if err == nil && rows == 0 {
			return io.EOF
		}
		if err == nil {
			err = f.gather(rows)
		}
		return err
	})
}
