package paramavg

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/distributed"
)

// export writes the data once, to storage of the engine's, for all epochs to be trained from there.
func (m *TrainingMaster) export(ctx context.Context, d *distributed.Data) error {
	files, err := d.Export(ctx, m.conf.ExportDirectory, m.conf.BatchSizePerWorker)
	if err != nil {
		return err
	}
	if m.conf.KeepExported {
		if err := files.Keep(ctx); err != nil {
			return errors.Join(err, files.Remove(context.WithoutCancel(ctx)))
		}
		m.opts.Log.Info("the exported data is kept", "place", files.Place())
	}
	m.ready.files, m.ready.from = files, files.Data
	m.opts.Log.Debug("exported the data", "place", files.Place())
	return nil
}
