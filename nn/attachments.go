package nn

import (
	"bytes"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
)

// attachments are the entries of a model file that do not belong to the network itself.
type attachments struct {
	normalizer []byte // normalizer.bin, kept as it is
	pipeline   []byte // pipeline.json
	labels     []byte // labels.json
	schema     *data.Schema
	notices    []string
}

// maxNormalizer bounds the length of a normalizer. It suffices for a million inputs.
const maxNormalizer = 16 << 20

// maxSchema bounds the total length of the names of columns and classes. It suffices for a million names.
const maxSchema = 16 << 20

// maxPipeline bounds the length of a pipeline, and that of its labels.
const maxPipeline = 16 << 20

// Notices lists what changed when the network was read from a file, such as its type, or settings of older versions.
func (n *attachments) Notices() []string { return n.notices }

// AddNotices adds to Notices. Packages that read networks of other programs call it.
func (n *attachments) AddNotices(notices ...string) { n.notices = append(n.notices, notices...) }

// Normalizer returns normalizer.bin of the network's model file; nil if there is none. Package data reads it.
func (n *attachments) Normalizer() []byte { return n.normalizer }

// SetNormalizer sets the normalizer.bin of the model file; nil for none.
func (n *attachments) SetNormalizer(b []byte) { n.normalizer = b }

// Schema returns the names of the columns and classes of the training data, from the model file; nil if there are none.
// Do not change it.
func (n *attachments) Schema() *data.Schema { return n.schema }

// SetSchema sets the names of columns and classes, which Save writes as schema.json; nil for none. It fails if two
// names are equal, or if the names are too long in total. Deeplearning4j differs: it ignores that entry and drops it
// on saving.
func (n *attachments) SetSchema(s *data.Schema) error {
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

// Pipeline returns the model file's pipeline.json, which is DataVec's TransformProcess, and its labels.json; nil if
// there are none. source.DecodePreparation reads them.
func (n *attachments) Pipeline() (steps, labels []byte) { return n.pipeline, n.labels }

// SetPipeline sets the pipeline.json and labels.json that Save writes; nil for none. It fails if one of them is too
// long. Deeplearning4j differs: it ignores these entries and drops them on saving.
func (n *attachments) SetPipeline(steps, labels []byte) error {
	if l := max(len(steps), len(labels)); l > maxPipeline {
		return fmt.Errorf("the pipeline takes %d bytes, at most %d fit into a model", l, maxPipeline)
	}
	n.pipeline, n.labels = steps, labels
	return nil
}

// copied returns a copy for another network, without the notices.
func (n *attachments) copied() attachments {
	return attachments{normalizer: bytes.Clone(n.normalizer), schema: n.schema,
		pipeline: bytes.Clone(n.pipeline), labels: bytes.Clone(n.labels)}
}

// entries returns the attachments as entries of the model zip.
func (n *attachments) entries() (entries []dl4j.Entry, err error) {
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

// read reads the attachments from a model zip. On an error, entry names the entry at fault.
func (n *attachments) read(z *dl4j.Model) (entry string, err error) {
	if z.Has(dl4j.NormalizerEntry) {
		if n.normalizer, err = z.Bytes(dl4j.NormalizerEntry, maxNormalizer); err != nil {
			return dl4j.NormalizerEntry, err
		}
	}
	for entry, to := range map[string]*[]byte{dl4j.PipelineEntry: &n.pipeline, dl4j.LabelsEntry: &n.labels} {
		if !z.Has(entry) {
			continue
		}
		if *to, err = z.Bytes(entry, maxPipeline); err != nil {
			return entry, err
		}
	}
	if z.Has(dl4j.SchemaEntry) {
		text, err := z.Bytes(dl4j.SchemaEntry, maxSchema)
		if err == nil {
			n.schema, err = data.ParseSchema(text)
		}
		if err != nil {
			return dl4j.SchemaEntry, err
		}
	}
	return "", nil
}
