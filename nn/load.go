package nn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// Load reads a model zip of a MultiLayer. If it has no updater state, the updaters start afresh. Errors in the content
// are dl4j.FormatErrors. Cancelling the context ends the requests for a file named by a URL.
func Load(ctx context.Context, path string) (*MultiLayer, error) {
	return kindOf[*MultiLayer](LoadNetwork(ctx, path))
}

// LoadGraph is Load for a Graph.
func LoadGraph(ctx context.Context, path string) (*Graph, error) {
	return kindOf[*Graph](LoadNetwork(ctx, path))
}

// LoadNetwork is Load for a network of either kind: see [As].
func LoadNetwork(ctx context.Context, path string) (*Network, error) {
	z, err := dl4j.OpenModel(ctx, path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return read(z, path)
}

// Read is Load from memory or any other reader.
func Read(r io.ReaderAt, size int64) (*MultiLayer, error) {
	return kindOf[*MultiLayer](ReadNetwork(r, size))
}

// ReadNetwork is LoadNetwork from memory or any other reader.
func ReadNetwork(r io.ReaderAt, size int64) (*Network, error) {
	z, err := dl4j.ReadModel(r, size)
	if err != nil {
		return nil, err
	}
	return read(z, "")
}

// Unmarshal is Read of bytes.
func Unmarshal(b []byte) (*MultiLayer, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// UnmarshalNetwork is ReadNetwork of bytes.
func UnmarshalNetwork(b []byte) (*Network, error) {
	return ReadNetwork(bytes.NewReader(b), int64(len(b)))
}

// kindOf converts the network to kind N, or fails.
func kindOf[N AnyNetwork](n *Network, err error) (N, error) {
	var none N
	if err != nil {
		return none, err
	}
	of, ok := As[N](n)
	if !ok {
		kind := "a graph (ComputationGraph): LoadGraph or LoadNetwork reads it"
		if !n.isGraph() {
			kind = "a network of layers in a row (MultiLayerNetwork): Load or LoadNetwork reads it"
		}
		n.Close()
		return none, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("the model is %s", kind)}
	}
	return of, nil
}

func read(z *dl4j.Model, path string) (*Network, error) {
	text, err := z.Configuration()
	if err != nil {
		return nil, err
	}
	d, err := newDocument(dl4j.Parse(string(text)))
	if err != nil {
		return nil, inEntry(path, dl4j.ConfigurationEntry, err)
	}
	n, err := d.network()
	if err != nil {
		return nil, inEntry(path, dl4j.ConfigurationEntry, err)
	}
	if entry, err := n.readEntries(z); err != nil {
		return nil, inEntry(path, entry, err)
	}
	if z.Has(javaUpdater) && !z.Has(dl4j.UpdaterStateEntry) {
		n.notices = append(n.notices, "the updaters' state in "+javaUpdater+
			", a Java object of 0.7 and before, is not read: it starts over")
	}
	if d.Summed() && n.layout.state > 0 && z.Has(dl4j.UpdaterStateEntry) {
		n.notices = append(n.notices, "the updaters' state is of sums of gradients, as Deeplearning4j "+d.Version+
			" had it: training goes on from it as in 1.0.0-M2.1, with means")
	}
	return n, nil
}

// network makes the network of a document, without memory for parameters.
func (d document) network() (*Network, error) {
	if d.graph() {
		c, iteration, epoch, err := d.graphConfiguration()
		if err != nil {
			return nil, err
		}
		g, err := buildGraph(c)
		if err != nil {
			return nil, err
		}
		g.iteration, g.epoch, g.notices = iteration, epoch, d.Notices
		return &g.Network, nil
	}
	c, iteration, epoch, err := d.configuration()
	if err != nil {
		return nil, err
	}
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	m.iteration, m.epoch, m.notices = iteration, epoch, d.Notices
	return &m.Network, nil
}

// javaUpdater is the entry with the updater state in models of 0.7 and before.
const javaUpdater = "updater.bin"

func inEntry(path, entry string, err error) error {
	var f *dl4j.FormatError
	if !errors.As(err, &f) {
		err = &dl4j.FormatError{Offset: -1, Err: err}
	}
	return dl4j.In(err, path, entry)
}

// readEntries reads all entries except the configuration. On an error, entry names the entry at fault.
func (n *Network) readEntries(z *dl4j.Model) (entry string, err error) {
	vector := func(entry string, want int) ([]float32, error) {
		x, precision, err := readVector(z, entry, want)
		if err == nil && precision != dl4j.Float && len(n.notices) == 0 {
			n.notices = []string{precisionNotice(string(precision))}
		}
		return x, err
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
		n.newState()
	}
	return n.attachments.read(z)
}

// readVector reads an entry that is a vector, and returns the vector's type in the file.
func readVector(z *dl4j.Model, entry string, want int) ([]float32, dl4j.DataType, error) {
	a, t, err := z.Array(entry, want)
	switch {
	case err != nil:
		return nil, t, err
	case t != dl4j.Float && t != "DOUBLE" && t != "HALF" && t != "BFLOAT16":
		return nil, t, fmt.Errorf("the vector is of type %s, not FLOAT, DOUBLE or HALF", t)
	case len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Shape[0] != 1):
		return nil, t, fmt.Errorf("the array has the shape %v, a vector is needed", a.Shape)
	case len(a.Data) != want:
		return nil, t, fmt.Errorf("the vector has %d elements, the configuration asks for %d", len(a.Data), want)
	}
	if t == "DOUBLE" {
		if i := slices.IndexFunc(a.Data, func(x float32) bool { return math.IsInf(float64(x), 0) }); i >= 0 {
			return nil, t, fmt.Errorf("element %d of the vector, of type DOUBLE, is too large for float32", i)
		}
	}
	return a.Data, t, nil
}
