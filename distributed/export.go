package distributed

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Exported is Data on the engine's storage, in batches.
type Exported struct {
	*Data
	saved *engine.Saved
}

// Export writes the examples in their order to the engine's storage, below dir, in files of batch examples each. For an
// empty dir see [engine.Dataset.Save]. The files are Deeplearning4j's: dataset_<partition><uid>_<n>.bin, or mds_… if a
// DataSet can't hold the data; uid is new for each export. On engines of this machine the files lie in the directory
// Place; Spark writes them into a table. Partitions stay as they are. A partition's last batch may have fewer examples,
// and so may a batch before examples of another shape: nothing is ever padded.
//
// If a program ends before Remove, dl4go clean removes the files, with --dir if dir is not empty.
func (d *Data) Export(ctx context.Context, dir string, batch int) (*Exported, error) {
	if batch < 1 {
		return nil, fmt.Errorf("an export in files of %d examples was asked for", batch)
	}
	counts, err := d.Counts(ctx)
	if err != nil {
		return nil, err
	}
	uid := make([]byte, 8)
	rand.Read(uid)
	saved, err := d.rows.Map(export.With(exportConfig{hex.EncodeToString(uid), batch})).Save(ctx, dir)
	if err != nil {
		if dir != "" {
			dir = " to " + dir
		}
		return nil, fmt.Errorf("the export%s failed: %w", dir, d.explain(ctx, err))
	}
	exported := FromSaved(saved.Dataset)
	exported.counts = counts
	return &Exported{exported, saved}, nil
}

// Place returns where the batches are, for messages: a directory, or a table.
func (e *Exported) Place() string { return e.saved.Place }

// Remove deletes the batches, and the table or directory made to hold them.
func (e *Exported) Remove(ctx context.Context) error { return e.saved.Remove(ctx) }

// Keep makes the batches permanent where they are.
func (e *Exported) Keep(ctx context.Context) error { return e.saved.Keep(ctx) }

type exportConfig struct {
	UID   string
	Batch int
}

var export = engine.Register("distributed.export",
	func(t *engine.Task, conf exportConfig, in engine.Rows, out engine.Writer) error {
		n := 0
		var batch []*data.MultiDataSet
		flush := func() error {
			if len(batch) == 0 {
				return nil
			}
			m, err := data.Merge(batch)
			if err != nil {
				return engine.Permanent(err)
			}
			var b bytes.Buffer
			kind := "dataset"
			if single, asOne := m.Single(); asOne == nil {
				err = data.WriteDataSet(&b, single)
			} else {
				kind = "mds"
				err = data.WriteMultiDataSet(&b, m)
			}
			if err != nil {
				return engine.Permanent(err)
			}
			name := fmt.Sprintf("%s_%d%s_%d.bin", kind, t.Partition, conf.UID, n)
			n++
			batch = batch[:0]
			return out.Write(engine.File{Path: name, Content: b.Bytes()}.Row())
		}
		examples := Minibatches(in, 1)
		for {
			m, err := examples.Next()
			if err == io.EOF {
				return flush()
			}
			if err != nil {
				return err
			}
			if len(batch) == conf.Batch || len(batch) > 0 && !data.SameShapes(batch[0], m) {
				if err := flush(); err != nil {
					return err
				}
			}
			batch = append(batch, m)
		}
	})
