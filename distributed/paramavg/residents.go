package paramavg

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/resident"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/stats"
)

// residents runs rounds by workers that stay for the whole pass, and by a coordinator: a round takes no job.
type residents struct {
	*course
	shape  shape
	rows   *engine.Dataset // a partition for each worker
	shapes engine.Broadcast
	job    *resident.Job
}

// residents begins the workers' job. There are as many as there are shares in the largest round, but no more than slots:
// beyond, a worker has several shares of each round, and trains them one after the other.
func (c *course) residents(ctx context.Context) (runner, error) {
	e := c.from.Engine()
	r := &residents{course: c, shape: c.rounds.shape(e.Slots())}
	rows, err := c.assign(ctx, r.shape.assignment(c.rounds), true)
	if err != nil {
		return nil, err
	}
	r.rows = rows
	defer c.master.times.Begin(stats.MasterBroadcast)(0)
	b, err := json.Marshal(r.shape)
	if err == nil {
		r.shapes, err = e.Broadcast(ctx, b)
	}
	if err != nil {
		return nil, r.close(err)
	}
	r.job, err = resident.Start(ctx, r.plan(e))
	if err != nil {
		return nil, r.close(err)
	}
	return r, nil
}

// tailBytes is more than the JSON of a state without events has.
const tailBytes = 1 << 20

// statsBytes is more than the events, or the iterations, of a round have.
const statsBytes = 64 << 20

func (r *residents) plan(e engine.Engine) resident.Plan {
	m := r.master
	p := resident.Plan{Engine: e, Transport: m.opts.Transport, Network: m.opts.Network, Reference: resident.NoReference{}, Name: "parameter averaging",
		Work: r.work, Meet: r.shape.workers() > 1, Log: m.opts.Log, MaxMessage: 4*(r.net.NumParams()+r.net.NumStates()) + tailBytes,
		Config: gradshare.Config{Term: 1, Partitions: len(r.shape.Owners), Min: r.shape.workers(), Timing: m.opts.Timing}}
	if m.times != nil || r.listen != nil {
		p.MaxMessage += statsBytes
	}
	return p
}

func (r *residents) work(access engine.BroadcastID) (*engine.Dataset, error) {
	var workers []int
	for w := range r.shape.workers() {
		workers = append(workers, w)
	}
	return r.rows.Select(workers...).Map(stay.With(stayConfig{r.share(), r.shapes.ID(), access})), nil
}

func (r *residents) run(ctx context.Context, round int, start []byte) ([]byte, error) {
	end := r.master.times.Begin(stats.MasterMapPartitions)
	shares := make([]uint32, len(r.rounds[round]))
	for i := range shares {
		shares[i] = uint32(i)
	}
	// Groups as an engine's Reduce makes them: so a job and residents add up in the same order.
	group := engine.ReduceGroup(len(shares), r.master.conf.AggregationDepth)
	command := gradshare.Round{Round: uint32(round), Shares: shares, Group: group, Start: start}
	end(0)
	defer r.master.times.Begin(stats.MasterAggregate)(0) // as by jobs: all of the round
	answer, err := r.job.Command(ctx, command)
	if err != nil {
		return nil, err
	}
	return answer.(gradshare.RoundDone).Payload, nil
}

// leave is how long the workers have to hear that the pass is over.
const leave = 10 * time.Second

func (r *residents) close(cause error) error {
	defer r.master.times.Begin(stats.MasterStop)(0)
	if r.job != nil {
		if cause == nil {
			ctx, stop := context.WithTimeout(context.Background(), leave)
			_, cause = r.job.Command(ctx, gradshare.Shut{Reason: "the pass is over"})
			stop()
		}
		cause = r.job.Stop(cause)
	}
	if r.shapes != nil {
		r.shapes.Release()
	}
	r.rows.Unpersist()
	return cause
}
