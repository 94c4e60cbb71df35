package nn

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/storage"
)

// SaveOptions chooses the contents of a model file beside configuration and parameters. The zero value is the default.
type SaveOptions struct {
	// WithoutUpdater leaves the updater state out. The file is smaller, and training continues with fresh state.
	WithoutUpdater bool
	// Rows writes parameters and updater state as rows, [1, length], which every version of Deeplearning4j reads.
	// Otherwise they are vectors of rank 1, as in 1.0.0-M2.1. 1.0.0-M2, the last version that trains on Spark, cannot
	// read those.
	Rows bool
}

// Save writes Deeplearning4j's model zip to a file. The file appears, or is replaced, once it is complete. The same
// network gives the same bytes. Cancelling the context ends the requests for a file named by a URL.
func (n *Network) Save(ctx context.Context, path string, o SaveOptions) error {
	entries, err := n.Base().Entries(o)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, path, func(w io.Writer) error { return dl4j.WriteModel(w, entries...) })
}

// Write is Save to a stream.
func (n *Network) Write(w io.Writer, o SaveOptions) error {
	entries, err := n.Base().Entries(o)
	if err != nil {
		return err
	}
	return dl4j.WriteModel(w, entries...)
}

// Entries returns the entries of the model zip. They read the network when they are written.
func (n *Network) Entries(o SaveOptions) ([]dl4j.Entry, error) {
	conf, err := n.Configuration()
	if err != nil {
		return nil, err
	}
	if err := n.fetch(program.Params, program.State); err != nil {
		return nil, err
	}
	vector := dl4j.VectorEntry
	if o.Rows {
		vector = dl4j.RowEntry
	}
	entries := []dl4j.Entry{dl4j.BytesEntry(dl4j.ConfigurationEntry, conf)}
	if len(n.params) == 0 {
		entries = append(entries, dl4j.BytesEntry(dl4j.CoefficientsEntry, nil), dl4j.BytesEntry(dl4j.NoParamsEntry, nil))
	} else {
		entries = append(entries, vector(dl4j.CoefficientsEntry, n.params))
	}
	if len(n.state) > 0 && !o.WithoutUpdater {
		entries = append(entries, vector(dl4j.UpdaterStateEntry, n.state))
	}
	beside, err := n.attachments.entries()
	return append(entries, beside...), err
}
