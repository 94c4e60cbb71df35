package paramavg

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
)

// residents runs rounds by a coordinator and resident workers, which stay for a pass or longer. A round takes no job.
type residents struct {
	*course
	shape  shape
	rows   *engine.Dataset // a partition for each worker
	shapes engine.Broadcast
	own    ownBroadcasts
	held   held
	begun  int // the round with which the job began
	job    *resident.Job
	cancel context.CancelCauseFunc // ends the job
	alone  func() bool             // lets it go on after the end of the pass's context

	mu      sync.Mutex
	missing []uint32           // places for which no worker came
	aged    bool               // a round is done: own updater states differ from the job's initial ones
	moved   bool               // the workers have moved their rows
	lost    bool               // a worker was lost with its own updater state, or with rows that were moved
	stop    context.CancelFunc // cancels the present round
}

// residents starts the workers' job, with a worker for each share of the largest round, but no more than slots, or than
// came before. With fewer, a worker trains several shares of each round, one after the other.
func (c *course) residents(ctx context.Context) (runner, error) {
	slots := c.from.Engine().Slots()
	if came := c.master.came; came > 0 {
		slots = min(slots, came)
	}
	r := &residents{course: c, stop: func() {}}
	if err := r.begin(ctx, slots, c.place.Done); err != nil {
		return nil, r.close(err)
	}
	return r, nil
}

// begin starts a job with at most the given number of workers, from a round on.
func (r *residents) begin(ctx context.Context, workers, round int) error {
	c, e := r.course, r.from.Engine()
	r.shape, r.missing, r.aged, r.moved, r.lost, r.begun = c.rounds.shape(workers), nil, false, false, false, round
	r.held.next = nil
	var err error
	if r.rows, err = c.assign(ctx, r.shape.assignment(c.rounds, c.left), true); err != nil {
		return err
	}
	defer c.master.base.Times.Begin(stats.MasterBroadcast)(0)
	b, err := json.Marshal(r.shape)
	if err == nil {
		r.shapes, err = e.Broadcast(ctx, b)
	}
	if err == nil {
		r.own, err = c.master.outer.broadcast(ctx, e, len(r.shape.Owners))
	}
	if err != nil {
		return err
	}
	working, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r.cancel = cancel
	r.attend(ctx)
	r.job, err = resident.Start(working, r.plan(e))
	return err
}

// news handles an action of the coordinator.
func (r *residents) news(_ *resident.Job, a coordination.Action) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch a := a.(type) {
	case coordination.Missing:
		r.missing = a.Partitions
	case coordination.RoundDone:
		r.aged = true
	case coordination.Admitted:
		if a.Replaces && (r.moved || r.aged && len(r.own.ids) > 0) {
			r.lost = true
			r.stop()
		}
	}
}

// lacks reports whether a worker was lost with its own updater state, or with rows that it got from others, so that its
// replacement lacks them.
func (r *residents) lacks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// came returns the number of workers that came if others did not; 0 if none is missing.
func (r *residents) came() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.missing) == 0 {
		return 0
	}
	lack := make(map[int]bool)
	for _, place := range r.missing {
		lack[r.shape.Owners[place]] = true
	}
	return r.shape.workers() - len(lack)
}

// fewer restarts with the workers that came. They take all places of a round, so its result stays the same.
func (r *residents) fewer(ctx context.Context, came, round int, cause error) error {
	m := r.master
	m.base.Log.Warn("parameter averaging: fewer workers came than there are slots; training goes on with them, and "+
		"gives the same network",
		"workers", came, "wanted", r.shape.workers(), "reason", cause)
	m.came = came
	return r.again(ctx, came, round, cause)
}

// again restarts with the workers' own updater states from the beginning of the round.
func (r *residents) again(ctx context.Context, workers, round int, cause error) error {
	if err := r.end(cause); ctx.Err() != nil {
		return err
	}
	return r.begin(ctx, workers, round)
}

// tailBytes bounds the JSON of a state without events.
const tailBytes = 1 << 20

// statsBytes bounds the events, or the iterations, of a round.
const statsBytes = 64 << 20

func (r *residents) plan(e engine.Engine) resident.Plan {
	m := r.master
	p := m.base.Plan(e, m.opts.Network)
	p.Lost = "another takes its place and repeats its work, which gives the same network"
	p.Reference, p.Work, p.News, p.Meet = resident.NoReference{}, r.work, r.news, r.shape.workers() > 1
	states := 1
	if m.outer != nil {
		states = len(r.shape.Owners)
	}
	p.MaxMessage = 4*(r.net.NumParams()+states*r.net.NumStates()) + tailBytes
	if m.base.Times != nil || r.listen != nil {
		p.MaxMessage += statsBytes
	}
	p.Config.Term, p.Config.Partitions, p.Config.Min = 1, len(r.shape.Owners), r.shape.workers()
	return p
}

func (r *residents) work(access engine.BroadcastID) (*engine.Dataset, error) {
	var workers []int
	for w := range r.shape.workers() {
		workers = append(workers, w)
	}
	return r.rows.Select(workers...).Map(stay.With(stayConfig{r.worker(), r.shapes.ID(), access, r.begun, r.own.ids})), nil
}

func (r *residents) run(ctx context.Context, round int, start []byte, whole bool) ([]byte, error) {
	if start != nil {
		r.held.start, r.held.from = start, round
	}
	for {
		row, err := r.through(ctx, round, whole)
		if err == nil {
			return row, nil
		}
		came := r.came()
		switch {
		case ctx.Err() != nil:
			return nil, err
		case came > 0:
			err = r.fewer(ctx, came, round, err)
		case r.lacks():
			r.master.base.Log.Info("parameter averaging: a worker was lost with a state or rows that its replacement lacks; "+
				"the round is repeated, and gives the same network", "round", round)
			err = r.again(ctx, r.shape.workers(), round, err)
		default:
			return nil, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// errLacks cancels a round in which a replacement lacks its predecessor's updater state or rows.
var errLacks = errors.New("a worker lacks the updater state or the rows of the one that it replaces")

// command gives the round to the coordinator. It fails as soon as a replacement lacks its predecessor's state or rows.
func (r *residents) command(ctx context.Context, round coordination.Round) (coordination.Action, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.mu.Lock()
	r.stop = func() { stop(errLacks) }
	lost := r.lost
	r.mu.Unlock()
	if lost {
		return nil, errLacks
	}
	answer, err := r.job.Command(ctx, round)
	if err == nil && r.lacks() { // the replacement may have taken part
		err = errLacks
	}
	return answer, err
}

func (r *residents) close(cause error) error {
	switch {
	case cause == nil && r.stays() && r.alone():
		r.master.staying.of = r
		return nil
	case cause == nil:
		return r.leave()
	}
	defer r.master.base.Times.Begin(stats.MasterStop)(0)
	return r.end(cause)
}

// leave ends the job after its last round.
func (r *residents) leave() (err error) {
	defer r.master.base.Times.Begin(stats.MasterStop)(0)
	if r.job != nil {
		// The coordinator answers at once, or its link ends.
		_, err = r.job.Command(context.Background(), coordination.Shut{Reason: "the pass is over"})
	}
	return r.end(err)
}

// end stops the job, if there is one, and drops its workers' data.
func (r *residents) end(cause error) error {
	if r.job != nil {
		cause = r.job.Stop(cause)
		r.job = nil
	}
	if r.cancel != nil {
		r.alone()
		r.cancel(nil)
		r.cancel = nil
	}
	if r.shapes != nil {
		r.shapes.Release()
		r.shapes = nil
	}
	r.own.release()
	if r.rows != nil {
		r.rows.Unpersist()
		r.rows = nil
	}
	return cause
}
