package distributed

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Exported is Data that lies in files of batches.
type Exported struct {
	*Data
	Files []string // in the order of the examples
}

// Export writes the examples, in their order, to files of batch examples each in dir, which is made if need be:
// Deeplearning4j's DataSet files dataset_<partition><uid>_<n>.bin, or MultiDataSet files mds_… where a DataSet can't
// hold the data. Partitions stay as they are, and a partition's last file may have fewer examples; so may others, where
// the shape of the examples changes, so that nothing is ever padded. uid is new for each export. Remove deletes them.
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
	paths, err := d.rows.Map(export.With(exportConfig{hex.EncodeToString(uid), batch})).WriteFiles(ctx, dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("export to %s: %w", dir, err), d.clear(ctx, dir, hex.EncodeToString(uid)))
	}
	rows := engine.ReadFiles(d.Engine(), paths).Map(SavedDataSets.op.With(struct{}{}))
	return &Exported{&Data{rows: rows, counts: counts, saved: true}, slices.Concat(paths...)}, nil
}

// clear removes what a failed export left in its directory, also where ctx is done.
func (d *Data) clear(ctx context.Context, dir, uid string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearDeadline)
	defer cancel()
	files, err := d.Engine().ListFiles(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var ours []string
	for _, f := range files {
		if strings.Contains(filepath.Base(f.Path), uid) {
			ours = append(ours, f.Path)
		}
	}
	return errors.Join(err, d.Engine().RemoveFiles(ctx, ours))
}

// clearDeadline bounds the removal of a failed export.
const clearDeadline = 30 * time.Second

// Remove deletes the files, and the directory if nothing else is in it.
func (e *Exported) Remove(ctx context.Context) error { return e.Engine().RemoveFiles(ctx, e.Files) }

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
