package spark

import (
	"context"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// keeping is a data set that lies in a table of its own: rows of the driver, or what Persist asked for.
type keeping struct {
	mu        sync.Mutex
	name      string // the job in which workers compute it, now or when Spark has lost a part of it
	made      bool
	query     query
	shape     func(partition int, t *worker.Task) // of rows that Spark put in place; nil for what workers wrote
	commits   []engine.Commit                     // of what workers wrote, or the driver
	whole     bool                                // no row is in pieces
	views     []string
	persisted *connect.Relation
}

// rows is a query for the records.
func (k *keeping) rows() query {
	if k == nil {
		return query{}
	}
	return k.query
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
	_, persisted := e.levels[d]
	delete(e.levels, d)
	e.mu.Unlock()
	if persisted {
		e.forget(d)
	}
}

// forget drops the table of d, if it has one: it is made again when it is needed again.
func (e *Engine) forget(d *engine.Dataset) {
	e.mu.Lock()
	k := e.kept[d]
	delete(e.kept, d)
	e.mu.Unlock()
	if k == nil || context.Cause(e.base) != nil {
		return
	}
	ctx := context.Background()
	c, err := e.acquire(ctx)
	if err == nil {
		defer c.release()
		err = e.drop(ctx, c.session, k)
	}
	if err != nil {
		e.options.Log.Warn("Spark may still keep rows", "master", e.Master(), "error", err)
	}
}

// forget drops the tables that the job has read and that may hold an operation's failure.
func (j *job) forget() {
	for d := range j.kept {
		if _, rows := d.Plan().(engine.InMemory); !rows {
			j.engine.forget(d)
		}
	}
}

// drop drops what is kept, and its views.
func (e *Engine) drop(ctx context.Context, s *connect.Session, k *keeping) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e.unwant(k.name)
	if k.persisted != nil {
		err = s.Unpersist(ctx, *k.persisted, false)
	}
	for i := len(k.views) - 1; i >= 0; i-- {
		if dropped := s.DropGlobalView(ctx, k.views[i]); err == nil {
			err = dropped
		}
	}
	k.views = nil
	return err
}

// view gives a relation a name for the job's time.
func (j *job) view(r connect.Relation) (string, error) {
	name := j.engine.unique("v")
	if err := j.session.CreateGlobalView(j.ctx, name, r); err != nil {
		return "", err
	}
	j.views = append(j.views, name)
	return "global_temp." + name, nil
}

// keptTable gives the table of a data set that has one.
func (j *job) keptTable(d *engine.Dataset) (t table, ok bool, err error) {
	k, err := j.keep(d)
	if k == nil || err != nil {
		return t, false, err
	}
	shape := k.shape
	if k.commits != nil {
		shape = func(p int, t *worker.Task) { t.Sum = &k.commits[p] }
	}
	return table{k.query, shape}, true, nil
}

// keep gives the table of a data set that has one of its own, or nil. It is made when it is first asked for.
func (j *job) keep(d *engine.Dataset) (*keeping, error) {
	e := j.engine
	rows, inMemory := d.Plan().(engine.InMemory)
	e.mu.Lock()
	level, persisted := e.levels[d]
	if d.Err() != nil || !inMemory && !persisted {
		e.mu.Unlock()
		return nil, d.Err()
	}
	k := e.kept[d]
	if k == nil {
		k = new(keeping)
		e.kept[d] = k
	}
	e.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	j.kept[d] = true
	if k.made {
		return k, nil
	}
	// Views that the table is made of must outlive this job.
	k.name = e.unique("k")
	own := &job{carrier: j.carrier, engine: e, ctx: j.ctx, name: k.name, number: j.number, kept: j.kept, starts: j.starts}
	var err error
	if inMemory {
		err = own.upload(k, rows.Partitions, storageLevel(level))
	} else if err = e.want(j.ctx, k.name); err == nil {
		err = own.persist(k, d, level)
	}
	j.tasks += own.tasks
	if err != nil {
		e.unwant(k.name)
		j.views = append(j.views, own.views...)
		return nil, err
	}
	k.views, k.made = own.views, true
	return k, nil
}

// persist computes a data set, and has Spark keep it. Rows that Spark itself puts in place are kept as they are, and a
// worker holds them to their order whenever it reads them; what workers write is verified now, by its commits.
func (j *job) persist(k *keeping, d *engine.Dataset, level engine.StorageLevel) error {
	t, tasks, err := j.derive(d, upTo(d.Partitions()))
	if err != nil {
		return err
	}
	_, moved := d.Plan().(engine.Exchanged)
	kept := t.rows
	if !moved {
		lines, err := j.transform(t, tasks)
		if err != nil {
			return err
		}
		kept = sealed(lines)
	}
	// The name makes the plan differ from any other of the cluster's.
	kept = sqlf("SELECT * FROM (%s) WHERE p IS NOT NULL OR k = '"+j.name+"'", kept)
	r := connect.SQL(kept.sql, kept.args...)
	at := storageLevel(level)
	if moved {
		at.Disk = true // to compute a part of it again is to move everything again
	}
	if err := j.session.Persist(j.ctx, r, at); err != nil {
		return err
	}
	view, err := j.view(r)
	k.persisted, k.query = &r, query{sql: "SELECT p, k, line FROM " + view + " WHERE k <> 'l'"} // log lines come once
	switch {
	case err != nil:
	case moved:
		k.shape = t.shape
	default:
		k.commits, k.whole, err = j.readCommits(query{sql: "SELECT line FROM " + view + " WHERE k IN ('c', 'e', 'l')"}, d.Partitions())
	}
	if err != nil {
		j.session.Unpersist(context.WithoutCancel(j.ctx), r, false)
		k.persisted, k.commits = nil, nil
	}
	return err
}

// storageLevel is Spark's. What Spark calls deserialised are its batches of columns, each column's bytes in one array:
// serialising those once more would cost time and twice the memory.
func storageLevel(l engine.StorageLevel) connect.StorageLevel {
	return connect.StorageLevel{Disk: l.Disk(), Memory: l.Memory(), OffHeap: l == engine.OffHeap,
		Deserialized: l.Memory() && l != engine.OffHeap, Replication: l.Replicas()}
}
