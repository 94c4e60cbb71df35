package distributed

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Approach chooses the data that workers train from (Deeplearning4j: RDDTrainingApproach).
type Approach string

// Export writes the data once, in files of one minibatch each, and trains from these. Direct trains from the data set
// itself.
const (
	Export Approach = "Export"
	Direct Approach = "Direct"
)

// Repartition chooses when a training master redistributes examples over the workers (Deeplearning4j: Repartition).
type Repartition string

// Always spreads the examples. Never trains each partition as it is, by a worker of its own.
// NumPartitionsWorkersDiffers is Never if there are as many partitions as workers, otherwise Always.
const (
	Always                      Repartition = "Always"
	Never                       Repartition = "Never"
	NumPartitionsWorkersDiffers Repartition = "NumPartitionsWorkersDiffers"
)

// ExportForTraining exports the data with [Data.Export], to storage of the engine, for all epochs of a training. With
// keep, the export stays when the run is over, and the log names its place.
func (d *Data) ExportForTraining(ctx context.Context, dir string, batch int, keep bool, log *slog.Logger) (*Exported,
	error) {
	files, err := d.Export(ctx, dir, batch)
	if err != nil || !keep {
		return files, err
	}
	if err := files.Keep(ctx); err != nil {
		return nil, errors.Join(err, files.Remove(context.WithoutCancel(ctx)))
	}
	log.Info("the exported data is kept", "place", files.Place())
	return files, nil
}

// removeDeadline bounds the removal of exported files.
const removeDeadline = time.Minute

// RemoveAtEnd removes the files of ExportForTraining within a minute, also after an interrupted run.
func (e *Exported) RemoveAtEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeDeadline)
	defer cancel()
	return e.Remove(ctx)
}
