package paramavg

import (
	"context"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/stats"
)

// jobs runs each round as a job of the engine.
type jobs struct {
	*course
	ends   []int           // of the partitions, in the order of the pass
	shares *engine.Dataset // a partition for each worker of each round
}

func (c *course) jobs(ctx context.Context) (runner, error) {
	a := c.rounds.assignment(c.left)
	shares, err := c.assign(ctx, a, false)
	if err != nil {
		return nil, err
	}
	return &jobs{c, a.Ends, shares}, nil
}

// assign spreads the examples. With once, data that a cluster keeps is
// not kept again: if it must be read again, Spark has it in its shuffle files.
func (c *course) assign(ctx context.Context, a engine.Assignment, once bool) (*engine.Dataset, error) {
	defer c.master.base.Times.Begin(stats.MasterRepartition)(0)
	if once && c.from.Persisted() && strings.Contains(c.from.Engine().Master(), "://") {
		indexed, err := c.from.Indexed(ctx)
		if err != nil {
			return nil, err
		}
		return indexed.Exchange(a), nil
	}
	used := len(a.Ends)
	if len(c.left) > 0 {
		used--
	}
	return c.from.AssignFirst(ctx, a, used, c.master.base.Kept())
}

func (j *jobs) run(ctx context.Context, round int, start []byte, _ bool) ([]byte, error) {
	m, e := j.master, j.shares.Engine()
	end := m.base.Times.Begin(stats.MasterBroadcast)
	broadcast, err := e.Broadcast(ctx, start)
	if err != nil {
		return nil, err
	}
	defer broadcast.Release()
	own, err := m.outer.broadcast(ctx, e, len(j.sizes[round]))
	defer own.release()
	if err != nil {
		return nil, err
	}
	end(0)
	end = m.base.Times.Begin(stats.MasterMapPartitions)
	conf := fitConfig{workerConfig: j.worker(), Start: broadcast.ID(), Own: own.ids}
	var partitions []int
	for w := range j.sizes[round] {
		at := j.rounds.partition(round) + w
		position := 0
		if at > 0 {
			position = j.ends[at-1]
		}
		conf.Positions, partitions = append(conf.Positions, position), append(partitions, at)
	}
	trained := j.shares.Select(partitions...).Map(fit.With(conf))
	end(0)
	defer m.base.Times.Begin(stats.MasterAggregate)(0) // like Deeplearning4j: nothing runs before
	return trained.Reduce(ctx, average.With(struct{}{}), m.conf.AggregationDepth)
}

func (j *jobs) close(cause error) error {
	j.shares.Unpersist()
	return cause
}
