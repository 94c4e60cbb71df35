package sharing

import (
	"fmt"
	"slices"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
)

// news handles an action of the coordinator. It is called in its host's loop.
func (r *run) news(j *resident.Job, a coordination.Action) {
	switch a := a.(type) {
	case coordination.Committed:
		r.committed(j, a)
	case coordination.EpochDone:
		r.sample(j)
	case coordination.Admitted:
		r.mu.Lock()
		if a.Replaces {
			r.tally.replaced++
		}
		if a.Again { // the worker reports the amount
			r.tally.lost--
		}
		r.mu.Unlock()
	case coordination.Save:
		r.mu.Lock()
		r.saved = &taken{a.Checkpoint, r.tally.lost + a.Silent}
		r.newest = r.saved
		r.mu.Unlock()
	case coordination.Short:
		r.mu.Lock()
		r.short = &shortError{from: r.newest, partitions: a.Partitions}
		r.mu.Unlock()
	case coordination.Lost:
		r.mu.Lock()
		r.tally.lost++
		r.mu.Unlock()
	}
}

func (r *run) committed(j *resident.Job, a coordination.Committed) {
	n := r.examples(a.Entry.Partition, a.Entry.Ordinal)
	r.mu.Lock()
	t := &r.tally
	t.updates++
	t.examples += n
	t.toldUpdates++
	t.toldExamples += n
	t.toldScore += a.Score * float64(n)
	if r.listen != nil {
		t.told = append(t.told, distributed.Iteration{Worker: int(a.Entry.Partition), Index: int(a.Entry.Ordinal),
			Examples: n, Score: a.Score})
	}
	t.trained[a.Entry.Peer]++
	t.account = r.reference.account
	due := time.Since(t.sampled) > tellEvery
	r.mu.Unlock()
	if due {
		r.sample(j)
	}
}

// sample records the members.
func (r *run) sample(j *resident.Job) {
	members := j.Members()
	r.mu.Lock()
	r.tally.members, r.tally.sampled = members, time.Now()
	r.mu.Unlock()
}

// examples returns the number of examples in a minibatch.
func (r *run) examples(partition, ordinal uint32) int {
	ends := r.master.ready.ends
	size := ends[partition]
	if partition > 0 {
		size -= ends[partition-1]
	}
	return cuts{size, r.master.conf.Minibatch()}.size(int(ordinal))
}

// minibatches returns the number of minibatches in each partition.
func (r *run) minibatches() (all []int) {
	from, batch := 0, r.master.conf.Minibatch()
	for _, end := range r.master.ready.ends {
		all = append(all, cuts{end - from, batch}.count())
		from = end
	}
	return all
}

// mostMinibatches returns the number of iterations of an epoch: the minibatches of the worker that trains most.
func (r *run) mostMinibatches() int {
	most, own, task := 0, 0, 0
	for p, n := range r.minibatches() {
		if own += n; r.master.ready.ends[p] == r.master.ready.tasks[task] {
			most, own, task = max(most, own), 0, task+1
		}
	}
	return most
}

// iterations estimates the iterations of a part of an epoch from its committed updates.
func (r *run) iterations(updates int) int {
	workers := len(r.master.ready.tasks)
	return r.steps((updates + workers - 1) / workers)
}

// steps returns the number of steps of a worker's minibatches: one each or, with truncated back-propagation, the mean
// of the committed ones.
func (r *run) steps(minibatches int) int {
	r.mu.Lock()
	a := r.tally.account
	r.mu.Unlock()
	if a.updates == 0 {
		return minibatches
	}
	return minibatches * a.steps / a.updates
}

// begin starts the tally of an epoch.
func (r *run) begin(epoch int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.tally
	t.epoch, t.updates, t.of, t.toldAt = epoch, 0, 0, time.Now()
	for _, n := range r.minibatches() {
		t.of += n
	}
	if r.from != nil && epoch == int(r.from.Epoch) {
		t.updates = r.before
	}
	clear(t.trained)
}

// closed ends the tally of an epoch.
func (r *run) closed() {
	if !r.master.conf.LogMinibatchesPerWorker {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for p, n := range r.tally.trained {
		lines = append(lines, fmt.Sprintf("%v: %d", p, n))
	}
	slices.Sort(lines)
	r.master.base.Log.Info("gradient sharing: minibatches of each worker", "epoch", r.tally.epoch, "minibatches", lines)
}

// tell tells the listeners the news, if there are any, and keeps a checkpoint that is due.
func (r *run) tell() {
	r.inform()
	r.keep()
}

// inform tells the listeners the news, if there are any.
func (r *run) inform() {
	r.mu.Lock()
	news := r.tally.toldUpdates > 0
	var p Progress
	round, p := r.tally.take(r.net.NumParams())
	r.mu.Unlock()
	if !news {
		return
	}
	p.Sent, p.Received = r.Traffic()
	if r.master.opts.Listen != nil {
		r.master.opts.Listen(p)
	}
	if r.listen != nil {
		r.listen(round)
	}
}
