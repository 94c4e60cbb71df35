package paramavg

import (
	"time"

	"github.com/dl4go/dl4go/stats"
)

// results takes the results of rounds. Resident workers may keep the vectors of a result to themselves; then only the
// next whole result gets into the network.
type results struct {
	*course
	last      *state    // whole, not yet in the network
	iteration int       // of the network after the last whole result
	score     float64   // the same
	at        time.Time // when it came
	asked     bool      // for a whole result
	done      int       // rounds up to the last whole result
	examples  int       // of these rounds
	unkept    bool      // the last whole result is newer than the last checkpoint of this pass
}

// wanted reports whether the next result should be whole: a checkpoint waits for it, or the last one is old.
func (r *results) wanted() bool { return r.asked || time.Since(r.at) >= r.master.slicing().every }

// take takes a result, after which so many rounds are done, with their examples. It returns the start of the next
// round: nil if the workers have kept it.
func (r *results) take(result *state, row []byte, done, examples int) (start []byte, err error) {
	if result.common() == 0 && r.net.NumParams() > 0 {
		return nil, nil
	}
	r.last, r.asked, r.at = result, false, time.Now()
	r.iteration, r.score = r.net.Iteration(), r.net.LastScore()
	r.done, r.examples, r.unkept = done, examples, true
	if r.master.conf.averagesUpdater() {
		return result.begin(row)
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	return r.start()
}

// settle puts the last whole result into the network.
func (r *results) settle() error {
	if r.last == nil {
		return nil
	}
	defer r.master.base.Times.Begin(stats.MasterProcessParams)(0)
	of := r.last
	r.last = nil
	return r.course.settle(of)
}

// keep makes a checkpoint if one is due, or asks for a whole result if the last one was not.
func (r *results) keep() error {
	to := r.master.base.Checkpoints
	if !r.unkept || to == nil || !to.Due() {
		return nil
	}
	if r.iteration != r.net.Iteration() {
		r.asked = true
		return nil
	}
	if err := r.settle(); err != nil {
		return err
	}
	kept, err := r.master.checkpoint(r.net, r.place, r.done, r.examples)
	if err == nil {
		to.Keep(kept)
		r.unkept = false
	}
	return err
}

// interrupted makes a checkpoint of the last whole result, after which rounds may have been trained in vain.
func (r *results) interrupted() error {
	r.net.SetIteration(r.iteration)
	r.net.SetLastScore(r.score)
	return r.keep()
}
