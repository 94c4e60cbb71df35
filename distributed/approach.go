package distributed

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Approach chooses the form of the data from which workers train (Deeplearning4j: RDDTrainingApproach).
type Approach string

// Export first writes the data to files of one minibatch each, and trains from these. Direct trains from the data set
// itself.
const (
	Export Approach = "Export"
	Direct Approach = "Direct"
)

// Repartition chooses when a training master redistributes examples over the workers (Deeplearning4j: Repartition).
type Repartition string

// Always spreads the examples over the workers. Never leaves each partition as it is, and gives it a worker of its own.
// NumPartitionsWorkersDiffers is Never if there are as many partitions as workers, and otherwise Always.
const (
	Always                      Repartition = "Always"
	Never                       Repartition = "Never"
	NumPartitionsWorkersDiffers Repartition = "NumPartitionsWorkersDiffers"
)

// ExportForTraining is [Data.Export] for all epochs of a training. With keep, the files stay after the run, and the log
// names their place.
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

// RemoveAtEnd is Remove without a context, for the end of a run, even an interrupted one. It takes at most a minute.
func (e *Exported) RemoveAtEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeDeadline)
	defer cancel()
	return e.Remove(ctx)
}
