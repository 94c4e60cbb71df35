package train

import (
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/storage"
)

// Forecast is the memory and traffic of a run, in bytes.
type Forecast struct {
	Data     int64 // the examples
	InFiles  bool  // the examples stay in files, or on a cluster
	Replicas int   // of the network that train at the same time
	Replica  int64 // of one: parameters, updater state, gradient and update
	Programs int64 // of one: the buffers of training on a minibatch
	Memory   int64 // total: the replicas, and unless InFiles the examples, which count twice if they are a source.Table
	// ToWorker and FromWorker are the bytes that a round of parameter averaging sends to each worker and receives from
	// it. Gradient sharing sends ToWorker at the beginning of an epoch, and from the second one on also Carried: what the
	// epoch before has not sent. Update is the maximum size of an update of gradient sharing.
	ToWorker, FromWorker, Carried, Update int64
	// Exported is the disk space of the exported training data; 0 without an export.
	Exported int64
}

// Forecast estimates the run's memory and traffic.
func (r *course) Forecast() (Forecast, error) {
	net := r.conf.network()
	vectors := 4 * int64(net.NumParams()+net.NumStates())
	f := Forecast{Replicas: 1, Replica: vectors + 8*int64(net.NumParams())} // gradient and update
	bytes, inMemory := source.Size(r.conf.Data)
	f.Data, f.InFiles = bytes, !inMemory
	var err error
	if f.Programs, err = net.Memory(r.sample()); err != nil {
		return f, badFile("Data", "the data does not fit the network: %w", err)
	}
	switch t := r.trainer.(type) {
	case *averaging:
		c := t.master.Config()
		f.Replicas, f.ToWorker, f.FromWorker = r.engine.Slots(), vectors, int64(4*net.NumParams())
		if outer := c.Outer.Rule != paramavg.NoOuter; outer || c.SaveUpdater {
			f.FromWorker = vectors
			if outer { // the updater state is the worker's own
				f.ToWorker = int64(4 * net.NumParams())
			}
		}
		if c.RDDTrainingApproach == paramavg.Export {
			f.Exported = f.Data
		}
	case *sharer:
		f.Replicas, f.ToWorker, f.Carried = t.workers, vectors, int64(4*net.NumParams())
		f.Update = int64(net.NumParams()) / 4
	}
	f.Memory = int64(f.Replicas) * (f.Replica + f.Programs)
	switch _, stored := r.conf.Data.(*source.Stored); {
	case f.InFiles:
	case stored:
		f.Memory += f.Data
	default:
		f.Memory += 2 * f.Data // as it was read, and as the workers' rows
	}
	return f, nil
}

// sample returns a minibatch of the size of the largest one to be trained.
func (r *course) sample() *data.MultiDataSet {
	m, err := r.conf.Data.Object(0)
	if err != nil || r.conf.Batch == 0 {
		return m
	}
	most := r.conf.Data.Info().Examples
	if rounds := r.Rounds(); len(rounds) > 0 {
		most = rounds[0][0]
	}
	rows := make([]int, min(r.conf.Batch, most))
	for i := range rows {
		rows[i] = i % m.Examples()
	}
	return m.Select(rows)
}

// fitsBatch fails if the machine has too little memory for the minibatches of a table that exist at the same time: one
// is trained on while others are assembled.
func (r *course) fitsBatch() error {
	d, batch := r.conf.Data, r.conf.Batch
	info := d.Info()
	if !source.Single(d) || batch == 0 {
		return nil
	}
	bytes, _ := source.Size(d)
	row := bytes / int64(max(1, info.Examples))
	if err := checkup.Fits(3 * row * int64(min(batch, info.Examples))); err != nil {
		return badFile("Batch", "minibatches of %d examples of %s: %w", min(batch, info.Examples), info.Name, err)
	}
	return nil
}

// fitsMemory fails if the run needs more memory than allowed even with its data on disk.
func (r *course) fitsMemory() error {
	if r.conf.Memory == 0 {
		return nil
	}
	f, err := r.Forecast()
	if err != nil {
		return err
	}
	info := r.conf.Data.Info()
	row := info.Bytes() / int64(max(1, info.Examples))
	// Minibatches: one is trained on, others are prepared. Also the order of an epoch.
	batch := 3 * row * int64(max(1, min(r.conf.Batch, info.Examples)))
	need := int64(f.Replicas)*(f.Replica+f.Programs+batch+r.bucketMemory()) + r.orderMemory()
	if need > r.conf.Memory {
		need += need / 20 // so that the number is enough after rounding
		return wrong("Memory", "%s are too few: the network and its minibatches of %d examples need %s; allow more, or "+
			"choose smaller minibatches", progress.Bytes(r.conf.Memory), r.conf.Batch, progress.Bytes(need))
	}
	return nil
}

// shuffleMemory is about what shuffling examples on disk takes, however many there are.
const shuffleMemory = 64 << 20

// orderMemory returns about how much memory the order of an epoch takes.
func (r *course) orderMemory() int64 {
	order := 16 * int64(r.conf.Data.Info().Examples)
	if of, ok := r.conf.Data.(*source.Stored); ok && of.Shuffles(of.Objects()) {
		return min(order, shuffleMemory)
	}
	return order
}

// bucketMemory returns how much memory a worker takes for putting shuffled examples in order.
func (r *course) bucketMemory() int64 {
	if of, ok := r.conf.Data.(*source.Stored); ok && of.Shuffles(of.Objects()) {
		return of.ShuffledMemory()
	}
	return 0
}

// makeExportDirectory creates the directory for exported examples, unless the cluster writes there and creates it.
func (r *course) makeExportDirectory(ctx context.Context) error {
	dir := ""
	switch m := r.conf.Method.(type) {
	case Averaging:
		if m.Config != nil {
			dir = m.Config.ExportDirectory
		}
	case Sharing:
		if m.Config != nil {
			dir = m.Config.ExportDirectory
		}
	}
	if _, cluster := r.engine.(engine.Tables); dir == "" || cluster {
		return nil
	}
	err := storage.MkdirAll(ctx, dir)
	if err == nil {
		err = storage.CheckWritable(ctx, storage.Join(dir, "dl4go"))
	}
	if err != nil {
		return &FileError{Field: "Method.Config.ExportDirectory", Err: err}
	}
	return nil
}
