package stored

import (
	"fmt"
	"io"
	"math"
	"os"
)

// Options say where rows are kept.
type Options struct {
	// Memory is the number of bytes that may stay in memory. With the first row beyond it, all rows move to disk.
	Memory int64
	// Dir is the directory on disk; empty: the system's directory of temporary files.
	Dir string
	// Moved, unless nil, is called when the rows move to disk.
	Moved func(dir string)
}

// writeBytes is the size of a write.
const writeBytes = 1 << 20

// Writer writes rows. Only one goroutine may use it.
type Writer struct {
	options Options
	rows    *Rows
	out     []byte
	at      int64  // number of bytes of rows
	ends    *spill // the ends of rows, from the first row on whose length differs from those before; nil: none
	onDisk  bool
	full    bool   // rows are not packed: they have several forms
	packed  []byte // the last row
}

// NewWriter starts a file.
func NewWriter(o Options) (*Writer, error) {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	w := &Writer{options: o, rows: &Rows{own: true}}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, nil
}

// open makes the file.
func (w *Writer) open() error {
	if w.options.Memory > 0 && !w.onDisk {
		file, err := memoryFile()
		if err != nil {
			return err
		}
		if w.rows.file = file; file != nil {
			return nil
		}
	}
	if w.onDisk {
		file, err := diskFile(w.options.Dir)
		w.rows.file = file
		return w.explain(err)
	}
	return w.toDisk()
}

// Len returns the number of rows so far.
func (w *Writer) Len() int { return w.rows.layout.Rows }

// Add appends a row. It does not keep its bytes.
func (w *Writer) Add(row []byte) error {
	if w.rows.layout.Rows == 0 && !w.full {
		w.rows.layout.Form = formOf(row)
	}
	if f := w.rows.layout.Form; f != nil {
		packed, alike := f.pack(w.packed[:0], row)
		if alike {
			w.packed, row = packed, packed
		} else if err := w.unpack(); err != nil {
			return err
		}
	}
	return w.add(row)
}

// add appends a row as it goes into the file.
func (w *Writer) add(row []byte) error {
	if !w.onDisk && w.at+int64(len(row)) > w.options.Memory {
		if err := w.toDisk(); err != nil {
			return err
		}
	}
	l := &w.rows.layout
	w.out = append(w.out, row...)
	w.at += int64(len(row))
	switch {
	case l.Rows == 0:
		l.Stride = int64(len(row))
	case w.ends == nil && l.Stride != int64(len(row)):
		w.ends = newSpill(w.options.Dir, "the ends of the examples", 1)
		if !w.onDisk {
			w.ends.memory = int(min(w.options.Memory, math.MaxInt))
		}
		for i := range l.Rows {
			if err := w.ends.add(0, uint64(i+1)*uint64(l.Stride)); err != nil {
				return err
			}
		}
		fallthrough
	case w.ends != nil:
		if err := w.ends.add(0, uint64(w.at)); err != nil {
			return err
		}
	}
	if l.Rows++; l.Rows > MaxRows {
		return fmt.Errorf("there are more than %d examples: train on a part of them, or on a cluster", int64(MaxRows))
	}
	if len(w.out) < writeBytes {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	_, err := w.rows.file.Write(w.out)
	w.out = w.out[:0]
	return w.explain(err)
}

// explain adds to an error of the file what it means.
func (w *Writer) explain(err error) error {
	if !w.onDisk {
		return err
	}
	return full(w.options.Dir, w.at, err)
}

// full explains an error of a file in a directory that needs a number of bytes.
func full(dir string, bytes int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: the examples can't be stored: %w; they need at least %.2f GB there: free more than that, "+
		"or set TMPDIR to another directory", dir, err, float64(bytes)/1e9)
}

// toDisk starts a file on disk, with the rows so far.
func (w *Writer) toDisk() error {
	if w.onDisk = true; w.options.Moved != nil {
		w.options.Moved(w.options.Dir)
	}
	if w.ends != nil {
		w.ends.memory = 0
	}
	before := w.rows.file
	file, err := diskFile(w.options.Dir)
	if err != nil {
		return w.explain(err)
	}
	w.rows.file = file
	if before == nil {
		return nil
	}
	defer before.Close()
	if _, err = before.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(file, before)
	}
	return w.explain(err)
}

// Finish completes the file. The writer must not be used again.
func (w *Writer) Finish() (*Rows, error) {
	r := w.rows
	if w.ends != nil {
		r.layout.Ends, r.layout.Stride = w.at, 0
	}
	err := w.flush()
	if w.ends != nil && err == nil {
		err = w.ends.take(0, func(ends []byte) error {
			w.out = append(w.out, ends...)
			return w.flush()
		})
	}
	w.out = nil
	w.closeEnds()
	if err == nil {
		r.path, r.dir, r.memory, r.bytes = pathOf(r.file), w.options.Dir, !w.onDisk, w.at
		if r.memory {
			r.mapped = mapping(r.file)
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return r, nil
}

// Close discards the rows, unless they were finished.
func (w *Writer) Close() {
	w.closeEnds()
	w.rows.Close()
}

func (w *Writer) closeEnds() {
	if w.ends != nil {
		w.ends.close()
		w.ends = nil
	}
}
