package nn

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
)

// SaveOptions say what a model file holds beside configuration and parameters.
type SaveOptions struct {
	// WithoutUpdater leaves the updater state out: the model is smaller, and training goes on with fresh state.
	WithoutUpdater bool
}

// maxNormalizer bounds a normalizer's length: those of a million inputs.
const maxNormalizer = 16 << 20

// Save writes Deeplearning4j's model zip to a file, which appears, or is replaced, when it is complete. The same network
// gives the same bytes.
func (m *MultiLayer) Save(path string, o SaveOptions) error {
	return storage.WriteFile(path, func(w io.Writer) error { return m.Write(w, o) })
}

// Write is Save to a stream.
func (m *MultiLayer) Write(w io.Writer, o SaveOptions) error {
	entries, err := m.Entries(o)
	if err != nil {
		return err
	}
	return dl4j.WriteModel(w, entries...)
}

// Entries are what the model zip holds. They read the network when they are written.
func (m *MultiLayer) Entries(o SaveOptions) ([]dl4j.Entry, error) {
	conf, err := m.Configuration()
	if err != nil {
		return nil, err
	}
	entries := []dl4j.Entry{dl4j.BytesEntry(dl4j.ConfigurationEntry, conf)}
	if len(m.params) == 0 {
		entries = append(entries, dl4j.BytesEntry(dl4j.NoParamsEntry, nil))
	} else {
		entries = append(entries, dl4j.VectorEntry(dl4j.CoefficientsEntry, m.params))
	}
	if len(m.state) > 0 && !o.WithoutUpdater {
		entries = append(entries, dl4j.VectorEntry(dl4j.UpdaterStateEntry, m.state))
	}
	if m.normalizer != nil {
		entries = append(entries, dl4j.BytesEntry(dl4j.NormalizerEntry, m.normalizer))
	}
	return entries, nil
}

// Normalizer is the normalizer.bin of the network's model file; nil if there is none. Package data reads it.
func (m *MultiLayer) Normalizer() []byte { return m.normalizer }

// SetNormalizer sets what Save writes as normalizer.bin; nil for none.
func (m *MultiLayer) SetNormalizer(b []byte) { m.normalizer = b }

// Load reads a model zip. Without updater state in it, the state is that before the first step. Errors about the
// content are dl4j.FormatErrors.
func Load(path string) (*MultiLayer, error) {
	z, err := dl4j.OpenModel(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return read(z, path)
}

// Read is Load from memory or any other place.
func Read(r io.ReaderAt, size int64) (*MultiLayer, error) {
	z, err := dl4j.ReadModel(r, size)
	if err != nil {
		return nil, err
	}
	return read(z, "")
}

// Unmarshal is Read of bytes.
func Unmarshal(b []byte) (*MultiLayer, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func read(z *dl4j.Model, path string) (*MultiLayer, error) {
	text, err := z.Configuration()
	if err != nil {
		return nil, err
	}
	fail := func(entry string, err error) (*MultiLayer, error) {
		var f *dl4j.FormatError
		if !errors.As(err, &f) {
			err = &dl4j.FormatError{Offset: -1, Err: err}
		}
		return nil, dl4j.In(err, path, entry)
	}
	c, iteration, epoch, err := unmarshalConfiguration(text)
	if err != nil {
		return fail(dl4j.ConfigurationEntry, err)
	}
	m, err := build(c)
	if err != nil {
		return fail(dl4j.ConfigurationEntry, err)
	}
	m.iteration, m.epoch = iteration, epoch
	vector := func(entry string, want int) ([]float32, error) {
		a, t, err := z.Array(entry, want)
		switch {
		case err != nil:
			return nil, err
		case t != dl4j.Float:
			return nil, fmt.Errorf("the vector is of type %s, not FLOAT", t)
		case len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Shape[0] != 1):
			return nil, fmt.Errorf("the array has the shape %v, a vector is needed", a.Shape)
		case len(a.Data) != want:
			return nil, fmt.Errorf("the vector has %d elements, the configuration asks for %d", len(a.Data), want)
		}
		return a.Data, nil
	}
	if m.layout.params > 0 {
		if m.params, err = vector(dl4j.CoefficientsEntry, m.layout.params); err != nil {
			return fail(dl4j.CoefficientsEntry, err)
		}
	} else {
		m.params = []float32{}
	}
	if z.Has(dl4j.UpdaterStateEntry) {
		if m.state, err = vector(dl4j.UpdaterStateEntry, m.layout.state); err != nil {
			return fail(dl4j.UpdaterStateEntry, err)
		}
	} else {
		m.state = make([]float32, m.layout.state)
		m.layout.initState(m.state)
	}
	if z.Has(dl4j.NormalizerEntry) {
		if m.normalizer, err = z.Bytes(dl4j.NormalizerEntry, maxNormalizer); err != nil {
			return fail(dl4j.NormalizerEntry, err)
		}
	}
	return m, nil
}
