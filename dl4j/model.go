package dl4j

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// The entries of a model zip.
const (
	ConfigurationEntry = "configuration.json"
	CoefficientsEntry  = "coefficients.bin" // the flat parameters; empty if there are none
	UpdaterStateEntry  = "updaterState.bin" // absent if no updater has state
	NormalizerEntry    = "normalizer.bin"   // absent if none was saved
	SchemaEntry        = "schema.json"      // only in our files: names of columns and classes; absent if there are none
	PipelineEntry      = "pipeline.json"    // only in our files: DataVec's TransformProcess; absent if there is none
	LabelsEntry        = "labels.json"      // only in our files, with the pipeline: the description of its labels
	NoParamsEntry      = "noParams.marker"  // with the empty coefficients of a network without parameters
)

// maxConfiguration is the maximum length of the configuration, enough for some fifteen hundred layers. Parsing a text
// of small values takes up to 13 times its length.
const maxConfiguration = 4 << 20

// Model is an open model zip. Its methods read single entries, and refuse entries that are larger than the caller
// allows.
type Model struct {
	path  string
	files map[string]*zip.File
	close func() error
}

// OpenModel opens a model zip. Close it after use. The context also governs the reads.
func OpenModel(ctx context.Context, path string) (*Model, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	m, err := ReadModel(f, f.Size())
	if err != nil {
		f.Close()
		return nil, In(err, path, "")
	}
	m.path, m.close = path, f.Close
	return m, nil
}

// ReadModel opens a model zip of size bytes.
func ReadModel(in io.ReaderAt, size int64) (*Model, error) {
	z, err := zip.NewReader(io.NewSectionReader(in, 0, size), size) // a section reader, for offsets outside the file
	if err != nil {
		begins := make([]byte, 4)
		if _, short := in.ReadAt(begins, 0); short == nil && string(begins) == "PK\x03\x04" {
			return nil, &FormatError{Offset: -1, Err: fmt.Errorf("the zip is damaged or cut short: copy it again, or take "+
				"another copy (%w)", err)}
		}
		return nil, &FormatError{Offset: -1, Err: fmt.Errorf("not a model zip: %w", err)}
	}
	m := &Model{files: map[string]*zip.File{}, close: func() error { return nil }}
	for _, f := range z.File {
		if m.files[f.Name] != nil {
			return nil, &FormatError{Entry: f.Name, Offset: -1, Err: errors.New("the entry is there twice")}
		}
		m.files[f.Name] = f
	}
	if m.files[ConfigurationEntry] == nil {
		return nil, &FormatError{Offset: -1, Err: errors.New("not a model zip: it has no " + ConfigurationEntry)}
	}
	return m, nil
}

// Close closes the file.
func (m *Model) Close() error { return m.close() }

// Has reports whether there is an entry of that name.
func (m *Model) Has(entry string) bool { return m.files[entry] != nil }

// Configuration reads configuration.json.
func (m *Model) Configuration() ([]byte, error) { return m.Bytes(ConfigurationEntry, maxConfiguration) }

// Array reads an entry with an array of at most the given number of elements; -1 means any number.
func (m *Model) Array(entry string, elements int) (*tensor.Dense, DataType, error) {
	var a *tensor.Dense
	var t DataType
	limit := int64(-1)
	if elements >= 0 {
		limit = 1024 + 8*int64(elements) // for type DOUBLE
	}
	err := m.read(entry, limit, func(r *Reader) (err error) {
		a, t, err = r.Array()
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if elements >= 0 && len(a.Data) > elements {
		return nil, "", &FormatError{m.path, entry, -1, "", fmt.Errorf("an array of %d elements where %d belong",
			len(a.Data), elements)}
	}
	return a, t, nil
}

// Bytes reads an entry of at most limit bytes.
func (m *Model) Bytes(entry string, limit int64) ([]byte, error) {
	var b []byte
	err := m.read(entry, limit, func(r *Reader) error {
		var all bytes.Buffer
		if n := r.Remaining(); n > 0 {
			all.Grow(int(n) + bytes.MinRead)
		}
		_, err := all.ReadFrom(r)
		b = all.Bytes()
		return err
	})
	return b, err
}

// read opens an entry of at most limit bytes (-1: any length) for f, which must read it to its end.
func (m *Model) read(entry string, limit int64, f func(*Reader) error) error {
	file := m.files[entry]
	if file == nil {
		return &FormatError{m.path, entry, -1, "", errors.New("the entry is missing")}
	}
	if size := file.UncompressedSize64; limit >= 0 && size > uint64(limit) {
		return &FormatError{m.path, entry, -1, "", fmt.Errorf("the entry has %d bytes where at most %d belong", size, limit)}
	}
	in, err := file.Open()
	if err != nil {
		return m.entryError(entry, err)
	}
	defer in.Close()
	// The length in the zip's directory may be wrong. If the caller knows no limit, memory is allocated as the bytes
	// arrive.
	size := int64(-1)
	if limit >= 0 {
		size = int64(file.UncompressedSize64)
	}
	r := NewReader(in, size)
	if err = f(r); err == nil {
		err = r.End() // also checks the checksum
	}
	return m.entryError(entry, err)
}

// entryError names the entry; errors of the zip itself become FormatErrors.
func (m *Model) entryError(entry string, err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &corrupt) {
		err = &FormatError{Offset: -1, Err: fmt.Errorf("damaged zip entry: %w", err)}
	}
	return In(err, m.path, entry)
}

// Entry is an entry to write.
type Entry struct {
	Name  string
	Write func(io.Writer) error
}

// BytesEntry returns an entry with these bytes.
func BytesEntry(name string, b []byte) Entry {
	return Entry{name, func(w io.Writer) error { _, err := w.Write(b); return err }}
}

// VectorEntry returns an entry with a flat vector.
func VectorEntry(name string, x []float32) Entry {
	return Entry{name, func(w io.Writer) error { return WriteVector(w, x) }}
}

// RowEntry is [VectorEntry] in the form of the versions before 1.0.0-M2.1: a row, [1, length].
func RowEntry(name string, x []float32) Entry {
	return Entry{name, func(w io.Writer) error {
		return WriteArray(w, &tensor.Dense{Shape: tensor.Shape{1, len(x)}, Data: x})
	}}
}

// WriteModel writes a model zip with these entries, in this order. The same entries give the same bytes.
func WriteModel(out io.Writer, entries ...Entry) error {
	z := zip.NewWriter(out)
	var deflate *flate.Writer // it takes a megabyte, and is reused for all entries
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		if deflate != nil {
			deflate.Reset(w)
			return deflate, nil
		}
		var err error
		deflate, err = flate.NewWriter(w, flate.BestSpeed) // parameters hardly shrink
		return deflate, err
	})
	for _, e := range entries {
		// A fixed time, 1980-01-01, the first that a zip can hold: some versions of Java refuse a missing time.
		//lint:ignore SA1019 Modified would add an extra field with the time zone
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Deflate, ModifiedDate: 1<<5 | 1})
		if err != nil {
			return err
		}
		if err := e.Write(w); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return z.Close()
}
