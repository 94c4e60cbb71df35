package slots

import (
	"context"
	"fmt"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/tracing"
)

// job is one evaluation of a data set. Separate stages first compute the data that it needs beyond single partitions,
// so that no task ever waits for another.
type job struct {
	engine    *Engine
	ctx       context.Context
	held      map[*engine.Dataset]map[int]block
	exchanges map[*engine.Dataset]*exchange
	starts    map[*engine.Dataset][]int64 // of Indexed data sets: the index of each partition's first row, and N

	mu    sync.Mutex
	owned []block // released at the job's end: held blocks, and blocks of exchanges
}

// begin starts a job, which end must follow.
func (e *Engine) begin(ctx context.Context) (j *job, end func(error)) {
	ctx, traced := tracing.Start(ctx, "job", "master", e.Master())
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(e.base, func() { cancel(errClosed) })
	j = &job{
		engine: e, ctx: ctx, held: make(map[*engine.Dataset]map[int]block),
		exchanges: make(map[*engine.Dataset]*exchange), starts: make(map[*engine.Dataset][]int64),
	}
	return j, func(err error) {
		defer traced(err)
		unlink()
		cancel(nil)
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, b := range j.owned {
			b.release()
		}
	}
}

func (j *job) givenUp() error {
	return fmt.Errorf("the job on %s was given up: %w", j.engine.Master(), context.Cause(j.ctx))
}

// own takes over blocks that were retained.
func (j *job) own(blocks ...block) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.owned = append(j.owned, blocks...)
}

// hold makes an owned block known to later stages. No stage may be running.
func (j *job) hold(d *engine.Dataset, p int, b block) {
	if j.held[d] == nil {
		j.held[d] = make(map[int]block)
	}
	j.held[d][p] = b
}

// Collect delivers the rows of each partition when the partition is complete.
func (e *Engine) Collect(ctx context.Context, d *engine.Dataset,
	each func(partition int, row engine.Row) error) (err error) {
	j, end := e.begin(ctx)
	defer func() { end(err) }()
	all := upTo(d.Partitions())
	if err := j.prepare(d, all); err != nil {
		return err
	}
	return stage(j, d, all, func(a *attempt, p int) (rows []engine.Row, err error) {
		err = a.run(d, p, engine.WriterFunc(func(row engine.Row) error {
			rows = append(rows, row)
			return nil
		}))
		return rows, err
	}, func(p int, rows []engine.Row) error {
		for _, row := range rows {
			if err := each(p, row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Commits returns the number and checksum of the rows of each partition, without moving the rows.
func (e *Engine) Commits(ctx context.Context, d *engine.Dataset) (commits []engine.Commit, err error) {
	j, end := e.begin(ctx)
	defer func() { end(err) }()
	all := upTo(d.Partitions())
	if err := j.prepare(d, all); err != nil {
		return nil, err
	}
	err = stage(j, d, all, func(a *attempt, p int) (engine.Commit, error) {
		c := engine.Commit{Partition: p, Attempt: a.number}
		err := a.run(d, p, engine.WriterFunc(func(row engine.Row) error {
			c.Add(row)
			return nil
		}))
		return c, err
	}, func(_ int, c engine.Commit) error {
		commits = append(commits, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return commits, nil
}

// prepare computes the data of other data sets that these partitions of d need as a whole.
func (j *job) prepare(d *engine.Dataset, partitions []int) error {
	if err := d.Err(); err != nil {
		return err
	}
	missing := partitions[:0:0]
	for _, p := range partitions {
		if j.held[d][p] != nil {
			continue
		}
		if b := j.engine.store.get(d, p); b != nil {
			j.own(b)
			j.hold(d, p, b)
		} else {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	switch plan := d.Plan().(type) {
	case engine.DriverRows, engine.Files:
		return nil
	case engine.Mapped:
		return j.prepare(plan.Parent, missing)
	case engine.Selected:
		parents := make([]int, len(missing))
		for i, p := range missing {
			parents[i] = plan.Partitions[p]
		}
		return j.prepare(plan.Parent, parents)
	case engine.Indexed:
		needed := missing
		if plan.Counts == nil {
			needed = upTo(plan.Parent.Partitions())
		}
		if err := j.prepare(plan.Parent, needed); err != nil {
			return err
		}
		return j.count(d, plan)
	case engine.Gathered:
		var parents []int
		for _, p := range missing {
			for q := p * plan.Size; q < min((p+1)*plan.Size, plan.Parent.Partitions()); q++ {
				parents = append(parents, q)
			}
		}
		if err := j.prepare(plan.Parent, parents); err != nil {
			return err
		}
		return j.materialise(plan.Parent, parents, engine.MemoryOnly)
	case engine.Exchanged:
		return j.exchange(d, plan)
	}
	return fmt.Errorf("%s can't evaluate a %T", j.engine.Master(), d.Plan())
}

// count finds the index at which each partition of d begins.
func (j *job) count(d *engine.Dataset, plan engine.Indexed) error {
	if j.starts[d] != nil {
		return nil
	}
	starts := []int64{0}
	add := func(_ int, n int64) error {
		starts = append(starts, starts[len(starts)-1]+n)
		return nil
	}
	for p, n := range plan.Counts {
		add(p, n)
	}
	var err error
	if plan.Counts == nil {
		err = stage(j, plan.Parent, upTo(d.Partitions()),
			func(a *attempt, p int) (int64, error) { return a.count(plan.Parent, p) }, add)
	}
	j.starts[d] = starts
	return err
}

// materialise computes partitions of d and holds them until the job's end: in memory or, beyond the storage memory, on
// disk.
func (j *job) materialise(d *engine.Dataset, partitions []int, level engine.StorageLevel) error {
	var missing []int
	for _, p := range partitions {
		if j.held[d][p] == nil {
			missing = append(missing, p)
		}
	}
	if j.inMemory(d) {
		level = engine.None
	}
	made := make(map[int]block)
	err := stage(j, d, missing, func(a *attempt, p int) (b block, err error) {
		if _, persisted := j.engine.store.level(d); persisted {
			b, err = a.persisted(d, p)
		} else {
			b, _, err = j.engine.store.fill(level, true, func(out engine.Writer) error { return a.run(d, p, out) })
		}
		if err == nil {
			j.own(b)
		}
		return b, err
	}, func(p int, b block) error {
		made[p] = b
		return nil
	})
	for p, b := range made {
		j.hold(d, p, b)
	}
	return err
}

// inMemory reports whether d's bytes are in memory in any case.
func (j *job) inMemory(d *engine.Dataset) bool {
	if level, persisted := j.engine.store.level(d); persisted {
		return level.Memory() && j.engine.options.StorageMemory == 0
	}
	switch plan := d.Plan().(type) {
	case engine.DriverRows:
		return true
	case engine.Indexed:
		return j.inMemory(plan.Parent)
	case engine.Selected:
		return j.inMemory(plan.Parent)
	}
	return false
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
