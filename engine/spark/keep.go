package spark

import (
	"context"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/connect"
)

// keeping is a data set that lies in a table of its own: rows of the driver, or what Persist asked for.
type keeping struct {
	mu    sync.Mutex
	table table
	made  bool
	views []string          // that the table is made of, its own last
	rows  *connect.Relation // that Spark persists
}

// Persist has Spark keep d's records when they have been computed.
func (e *Engine) Persist(d *engine.Dataset, level engine.StorageLevel) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if level == engine.None {
		return
	}
	if _, ok := e.levels[d]; !ok {
		e.levels[d] = level
	}
}

// Unpersist drops what is kept of d.
func (e *Engine) Unpersist(d *engine.Dataset) {
	e.mu.Lock()
	k := e.kept[d]
	_, persisted := e.levels[d]
	delete(e.levels, d)
	if persisted {
		delete(e.kept, d)
	}
	e.mu.Unlock()
	if k != nil && persisted && context.Cause(e.base) == nil {
		e.drop(context.Background(), k)
	}
}

// drop drops what is kept, and its views.
func (e *Engine) drop(ctx context.Context, k *keeping) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows != nil {
		if err := e.session.Unpersist(ctx, *k.rows, false); err != nil {
			e.options.Log.Warn("Spark may still keep rows", "master", e.Master(), "error", err)
		}
	}
	for i := len(k.views) - 1; i >= 0; i-- {
		if err := e.session.DropView(ctx, k.views[i]); err != nil {
			e.options.Log.Warn("Spark may still keep rows", "master", e.Master(), "error", err)
		}
	}
	k.views = nil
}

// kept gives the table of a data set that has one.
func (j *job) kept(d *engine.Dataset) (table, bool, error) {
	e := j.engine
	rows, inMemory := d.Plan().(engine.InMemory)
	e.mu.Lock()
	level, persisted := e.levels[d]
	if !inMemory && !persisted {
		e.mu.Unlock()
		return table{}, false, nil
	}
	k := e.kept[d]
	if k == nil {
		k = new(keeping)
		e.kept[d] = k
	}
	e.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return k.table, true, nil
	}
	if inMemory {
		view, err := e.upload(j.ctx, rows.Partitions)
		if err != nil {
			return table{}, true, err
		}
		k.table, k.made, k.views = sealed(view), true, []string{view}
		return k.table, true, nil
	}
	// The views that the table is made of must outlive this job.
	own := &job{engine: e, ctx: j.ctx, name: j.name, starts: j.starts}
	r, err := own.transform(d)
	if err == nil {
		err = e.session.Persist(j.ctx, r, storageLevel(level))
	}
	view := ""
	if err == nil {
		view, err = own.view(r)
	}
	k.views = own.views
	if err != nil {
		j.views = append(j.views, own.views...)
		k.views = nil
		return table{}, true, j.explain(err)
	}
	k.table, k.made, k.rows = sealed(view), true, &r
	return k.table, true, nil
}

func storageLevel(l engine.StorageLevel) connect.StorageLevel {
	return connect.StorageLevel{Disk: l.Disk(), Memory: l.Memory(), OffHeap: l == engine.OffHeap, Replication: l.Replicas()}
}

// forget drops the table of rows that the driver had.
func (e *Engine) forget(d *engine.Dataset) {
	e.mu.Lock()
	k := e.kept[d]
	delete(e.kept, d)
	e.mu.Unlock()
	if k != nil {
		e.drop(context.Background(), k)
	}
}
