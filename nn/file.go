package nn

import (
	"context"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
)

// SaveOptions choose the contents of a model file beside configuration and parameters. The zero value has the defaults.
type SaveOptions struct {
	// WithoutUpdater leaves the updater state out. The file is smaller, and training continues with fresh state.
	WithoutUpdater bool
	// Rows writes parameters and updater state as rows, [1, length], which every version of Deeplearning4j reads. Without
	// it they are of rank 1, as 1.0.0-M2.1 writes them; 1.0.0-M2, the last version that trains on Spark, fails on that.
	Rows bool
}

// maxNormalizer bounds a normalizer's length: those of a million inputs.
const maxNormalizer = 16 << 20

// maxSchema bounds the length of the names of columns and classes: a million names.
const maxSchema = 16 << 20

// maxPipeline bounds the length of a pipeline and of what its labels are.
const maxPipeline = 16 << 20

// Save writes Deeplearning4j's model zip to a file, which appears, or is replaced, when it is complete. The same
// network gives the same bytes. The context ends the requests for a file that a URL names.
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
	if n.normalizer != nil {
		entries = append(entries, dl4j.BytesEntry(dl4j.NormalizerEntry, n.normalizer))
	}
	if n.schema != nil {
		text, err := n.schema.JSON()
		if err != nil {
			return nil, err
		}
		entries = append(entries, dl4j.BytesEntry(dl4j.SchemaEntry, text))
	}
	if n.pipeline != nil {
		entries = append(entries, dl4j.BytesEntry(dl4j.PipelineEntry, n.pipeline),
			dl4j.BytesEntry(dl4j.LabelsEntry, n.labels))
	}
	return entries, nil
}

// Normalizer is the normalizer.bin of the network's model file; nil if there is none. Package data reads it.
func (n *Network) Normalizer() []byte { return n.normalizer }

// SetNormalizer sets the normalizer.bin of the model file; nil for none.
func (n *Network) SetNormalizer(b []byte) { n.normalizer = b }

// Schema returns the names of the columns and classes of the training data, from the model file; nil if there are none.
// Do not change it.
func (n *Network) Schema() *data.Schema { return n.schema }

// SetSchema sets the names of columns and classes that Save writes, as schema.json; nil for none. It fails where
// two names are the same, or all of them too long. Deeplearning4j differs: it passes that entry over, and loses it
// when it saves.
func (n *Network) SetSchema(s *data.Schema) error {
	if s.Empty() {
		n.schema = nil
		return nil
	}
	text, err := s.JSON()
	if err == nil && len(text) > maxSchema {
		err = fmt.Errorf("the names of columns and classes take %d bytes, at most %d fit into a model", len(text), maxSchema)
	}
	if err == nil {
		n.schema = s
	}
	return err
}

// Pipeline gives the pipeline.json of the model file, DataVec's TransformProcess, and the labels.json beside it; nil if
// there are none. source.DecodePreparation reads them.
func (n *Network) Pipeline() (steps, labels []byte) { return n.pipeline, n.labels }

// SetPipeline sets the pipeline.json and labels.json that Save writes; nil for none. It fails where one of them is too
// long. Deeplearning4j differs: it passes the entries over, and loses them when it saves.
func (n *Network) SetPipeline(steps, labels []byte) error {
	if l := max(len(steps), len(labels)); l > maxPipeline {
		return fmt.Errorf("the pipeline takes %d bytes, at most %d fit into a model", l, maxPipeline)
	}
	n.pipeline, n.labels = steps, labels
	return nil
}
