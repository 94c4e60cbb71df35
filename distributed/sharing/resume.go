package sharing

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/tensor"
)

// Resume starts the next fit at a place that Options.Checkpoints received, with the network, the data and the settings
// of that time. There may be fewer or more workers, but the epoch keeps its partitions, so no more workers train than
// the epoch began with. Minibatches that the checkpoint counts are not trained again. Give the checkpoint's State to
// [TrainingMaster.Restore]: it has the workers' residuals. Those of workers that were silent at the checkpoint are
// lost; [Losses] counts them.
func (m *TrainingMaster) Resume(at distributed.Place) { m.base.From = &at }

// SetWeighting sets the weights of examples in later fits.
func (m *TrainingMaster) SetWeighting(w data.Weighting) { m.base.Weighting = w }

// kept is the coordinator's part of a place: its checkpoint without the vectors, which are the network's.
type kept struct {
	Term        uint32 `json:"term"`
	Coordinator []byte `json:"coordinator"`
	Iteration   int    `json:"iteration"` // of the worker with the state
	Encoder     string `json:"encoder"`
	Lost        *int   `json:"lost,omitempty"` // number of residuals missing in the checkpoint; nil: one a partition
}

// taken is a checkpoint of the coordinator. lost is the number of residuals that it lacks: those of workers that died
// in the fit, and those of workers that were silent.
type taken struct {
	*coordination.Checkpoint
	lost int
}

// ofFile is the job ID in a file's coordinator checkpoint: jobs don't outlive their process.
var ofFile coordination.JobID

// keep passes a new checkpoint to Options.Checkpoints, and requests one that is due.
func (r *run) keep() {
	to := r.master.base.Checkpoints
	if to == nil {
		return
	}
	r.mu.Lock()
	saved := r.saved
	r.saved = nil
	r.mu.Unlock()
	switch {
	case saved != nil:
		r.asked = false
		if r.left != nil {
			defer r.left()
		}
		if !saved.Open {
			return // between two epochs: the caller has the network, or another checkpoint follows
		}
		k, err := r.checkpoint(saved)
		if err != nil {
			r.master.base.Log.Warn("gradient sharing: no checkpoint could be made", "error", err)
			return
		}
		to.Keep(k)
	case !r.asked && to.Due():
		r.asked = true
		r.Post(coordination.SaveNow{})
	}
}

// checkpoint returns the network of a coordinator's checkpoint.
func (r *run) checkpoint(saved *taken) (distributed.Checkpoint, error) {
	at := distributed.Place{Pass: uint64(saved.Epoch),
		Begun: r.began + r.steps((int(saved.Epoch)-r.net.Epoch())*r.mostMinibatches()), Shares: r.master.ready.checksum}
	s := state{Iteration: at.Begun, updater: r.net.UpdaterState()}
	if saved.State != nil {
		var err error
		if s, err = unpackState(saved.State); err != nil {
			return distributed.Checkpoint{}, err
		}
	}
	var reports report
	if saved.Reports != nil {
		var err error
		if reports, err = unpackReport(saved.Reports); err != nil {
			return distributed.Checkpoint{}, err
		}
	}
	slim := *saved.Checkpoint
	slim.Params, slim.State, slim.Reports = nil, nil, nil
	slim.Partitions = slices.Clone(saved.Partitions)
	for p := range slim.Partitions {
		progress := &slim.Partitions[p]
		progress.Next += reports.Ahead[uint32(p)]
		at.Done += int(progress.Next)
		for i := range progress.Next {
			at.Examples += r.examples(uint32(p), i)
		}
	}
	var lost *int
	if saved.Reports != nil {
		lost = &saved.lost
	}
	k := distributed.Checkpoint{Params: tensor.Floats(saved.Params), Updater: s.updater,
		Iteration: at.Begun + r.iterations(at.Done), Epoch: int(saved.Epoch), Score: r.net.LastScore()}
	if n := len(reports.residual); n != 0 && n != len(k.Params) {
		return k, fmt.Errorf("the workers' residual has %d values, the network %d parameters", n, len(k.Params))
	}
	left := carriedBy(k.Params, r.unsent(reports.residual, r.minibatches(), saved.Epoch, slim.Partitions))
	var err error
	if k.State, err = left.State(); err != nil {
		return k, err
	}
	at.Master, err = json.Marshal(kept{r.term, slim.Append(nil, ofFile), s.Iteration, s.Encoder, lost})
	k.Place = at
	return k, err
}

// resume makes the coordinator begin at a place.
func (r *run) resume(at distributed.Place) error {
	fail := func(err error) error { return fmt.Errorf("gradient sharing can't go on from a checkpoint: %w", err) }
	if at.Shares != r.master.ready.checksum {
		return fail(fmt.Errorf("the shares of the %d workers are not those that the epoch began with; data, seed and "+
			"repartitioner must be as they were",
			len(r.master.ready.ends)))
	}
	var k kept
	if err := json.Unmarshal(at.Master, &k); err != nil {
		return fail(err)
	}
	from, err := coordination.ReadCheckpoint(k.Coordinator, ofFile)
	if err != nil {
		return fail(err)
	}
	if int(from.Epoch) != r.net.Epoch() {
		return fail(fmt.Errorf("it is of epoch %d, the network of %d", from.Epoch, r.net.Epoch()))
	}
	r.portion(r.minibatches(), from.Partitions)
	s := state{Iteration: k.Iteration, Encoder: k.Encoder, updater: r.net.UpdaterState()}
	r.give(&s)
	if from.State, err = s.pack(); err != nil {
		return fail(err)
	}
	from.Params = tensor.AppendBytes(nil, r.net.Params())
	if err := r.reference.Install(from.Params); err != nil {
		return fail(err)
	}
	r.from, r.term, r.began, r.before = from, k.Term+1, at.Begun, at.Done
	if r.tally.lost = len(from.Partitions); k.Lost != nil {
		r.tally.lost = *k.Lost
	}
	return nil
}

// resumed returns the number of partitions of the epoch that the next fit continues; 0 if it begins one. If there are
// fewer workers now, each trains several partitions.
func (m *TrainingMaster) resumed() (int, error) {
	if m.base.From == nil {
		return 0, nil
	}
	var k kept
	err := json.Unmarshal(m.base.From.Master, &k)
	var from *coordination.Checkpoint
	if err == nil {
		from, err = coordination.ReadCheckpoint(k.Coordinator, ofFile)
	}
	if err != nil {
		return 0, fmt.Errorf("gradient sharing can't go on from a checkpoint: %w", err)
	}
	return len(from.Partitions), nil
}

// checksum returns the checksum of an assignment, in the form of the checkpoint that the fit goes on from.
func (m *TrainingMaster) checksum(a engine.Assignment) uint32 {
	sum := checksum(a)
	if from := m.base.From; from != nil && from.Shares != sum && checksumOfRows(a) == from.Shares {
		return from.Shares
	}
	return sum
}

// checksumOfRows returns the checksum that checkpoints had before assignments were pieces of an order: that of the
// examples of each partition.
func checksumOfRows(a engine.Assignment) uint32 {
	var c masters.Checksum
	a = a.Listed()
	for place := range a.Rows() {
		c.Add(uint64(a.Index(place)))
	}
	for _, end := range a.Ends {
		c.Add(uint64(end))
	}
	return c.Sum()
}

// checksum returns the checksum of the examples of each partition.
func checksum(a engine.Assignment) uint32 {
	var c masters.Checksum
	if a.Order == nil && a.Seed != nil {
		c.Add(*a.Seed)
	}
	for _, p := range a.Pieces {
		c.Add(uint64(p.From))
		c.Add(uint64(p.To))
	}
	for _, i := range a.Order {
		c.Add(uint64(i))
	}
	for _, end := range a.Ends {
		c.Add(uint64(end))
	}
	return c.Sum()
}
