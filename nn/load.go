package nn

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
)

// Load reads a model zip of a MultiLayer. Without updater state in it, the state is that before the first step. Errors about
// the content are dl4j.FormatErrors.
func Load(path string) (*MultiLayer, error) { return kindOf[*MultiLayer](LoadNetwork(path)) }

// LoadGraph is Load for a Graph.
func LoadGraph(path string) (*Graph, error) { return kindOf[*Graph](LoadNetwork(path)) }

// LoadNetwork is Load for a network of either kind: a *MultiLayer or a *Graph.
func LoadNetwork(path string) (Network, error) {
	z, err := dl4j.OpenModel(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return read(z, path)
}

// Read is Load from memory or any other place.
func Read(r io.ReaderAt, size int64) (*MultiLayer, error) {
	return kindOf[*MultiLayer](ReadNetwork(r, size))
}

// ReadNetwork is LoadNetwork from memory or any other place.
func ReadNetwork(r io.ReaderAt, size int64) (Network, error) {
	z, err := dl4j.ReadModel(r, size)
	if err != nil {
		return nil, err
	}
	return read(z, "")
}

// Unmarshal is Read of bytes.
func Unmarshal(b []byte) (*MultiLayer, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// UnmarshalNetwork is ReadNetwork of bytes.
func UnmarshalNetwork(b []byte) (Network, error) {
	return ReadNetwork(bytes.NewReader(b), int64(len(b)))
}

// kindOf wants a network of a kind.
func kindOf[T Network](n Network, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	of, ok := n.(T)
	if !ok {
		kind := "a graph (ComputationGraph): LoadGraph or LoadNetwork reads it"
		if _, row := n.(*MultiLayer); row {
			kind = "a network of layers in a row (MultiLayerNetwork): Load or LoadNetwork reads it"
		}
		n.Close()
		return none, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("the model is %s", kind)}
	}
	return of, nil
}

func read(z *dl4j.Model, path string) (Network, error) {
	text, err := z.Configuration()
	if err != nil {
		return nil, err
	}
	net, n, err := unmarshalNetwork(text)
	if err != nil {
		return nil, inEntry(path, dl4j.ConfigurationEntry, err)
	}
	if entry, err := n.readEntries(z); err != nil {
		return nil, inEntry(path, entry, err)
	}
	return net, nil
}

// unmarshalNetwork makes the network of configuration.json, without memory for parameters.
func unmarshalNetwork(text []byte) (Network, *core, error) {
	graph, err := isGraph(text)
	if err != nil {
		return nil, nil, err
	}
	if graph {
		c, iteration, epoch, err := unmarshalGraph(text)
		if err != nil {
			return nil, nil, err
		}
		g, err := buildGraph(c)
		if err != nil {
			return nil, nil, err
		}
		g.iteration, g.epoch = iteration, epoch
		return g, &g.core, nil
	}
	c, iteration, epoch, err := unmarshalConfiguration(text)
	if err != nil {
		return nil, nil, err
	}
	m, err := build(c)
	if err != nil {
		return nil, nil, err
	}
	m.iteration, m.epoch = iteration, epoch
	return m, &m.core, nil
}

func inEntry(path, entry string, err error) error {
	var f *dl4j.FormatError
	if !errors.As(err, &f) {
		err = &dl4j.FormatError{Offset: -1, Err: err}
	}
	return dl4j.In(err, path, entry)
}

// readEntries reads what is beside the configuration. entry is where an error is.
func (n *core) readEntries(z *dl4j.Model) (entry string, err error) {
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
	if n.layout.params > 0 {
		if n.params, err = vector(dl4j.CoefficientsEntry, n.layout.params); err != nil {
			return dl4j.CoefficientsEntry, err
		}
	} else {
		n.params = []float32{}
	}
	if z.Has(dl4j.UpdaterStateEntry) {
		if n.state, err = vector(dl4j.UpdaterStateEntry, n.layout.state); err != nil {
			return dl4j.UpdaterStateEntry, err
		}
	} else {
		n.state = make([]float32, n.layout.state)
		n.layout.initState(n.state)
	}
	if z.Has(dl4j.NormalizerEntry) {
		if n.normalizer, err = z.Bytes(dl4j.NormalizerEntry, maxNormalizer); err != nil {
			return dl4j.NormalizerEntry, err
		}
	}
	return "", nil
}
