package spark

import (
	"context"
	"fmt"
	"maps"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// tables tracks the data sets that have tables of their own: rows of the driver, and persisted data sets.
type tables struct {
	*sessions
	levels map[*engine.Dataset]engine.StorageLevel // requested by Persist
	kept   map[*engine.Dataset]*keeping
	all    map[*keeping]bool // including forgotten ones, until they are dropped

	undropped []*keeping // because the server did not answer
}

func newTables(s *sessions) *tables {
	return &tables{sessions: s, levels: make(map[*engine.Dataset]engine.StorageLevel),
		kept: make(map[*engine.Dataset]*keeping), all: make(map[*keeping]bool)}
}

// keeping is a data set in a table of its own.
type keeping struct {
	dataset   *engine.Dataset
	busy      chan struct{} // holds a token while a job makes the table
	made      bool
	sent      *sent  // the driver's rows in a file, with or without a table
	name      string // the job in which workers compute it, now or if Spark has lost a part of it
	query     query
	shape     func(partition int, t *worker.Task) // for rows that Spark moved; nil for rows that workers wrote
	commits   []engine.Commit                     // of rows from workers or the driver
	whole     bool                                // no row is in pieces
	dealt     bool                                // see table
	views     []string
	values    []*broadcast // needed by its queries
	persisted *connect.Relation
	fragile   bool            // a lost executor takes rows with it that the driver must send again
	needs     map[string]bool // the names of the tables from which it was made

	// The engine's lock guards these.
	users     int  // attempts at jobs that may have it in a query
	forgotten bool // the last user drops it
}

// keeper finds and makes a job's tables in Spark: persisted data sets, and rows of the driver.
type keeper struct{ *job }

func (j *job) keeper() keeper { return keeper{j} }

// rows returns a query for the records.
func (k *keeping) rows() query {
	if k == nil {
		return ""
	}
	return k.query
}

// view names a relation for the time of the job.
func (j *job) view(r connect.Relation) (string, error) {
	name := j.engine.unique("v")
	if err := j.session.CreateGlobalView(j.ctx, name, r); err != nil {
		return "", err
	}
	j.views = append(j.views, name)
	return "global_temp." + name, nil
}

// keptTable returns the table of a data set that has one.
func (j keeper) keptTable(d *engine.Dataset) (t table, ok bool, err error) {
	if t, ok, err := j.sentTable(d); ok || err != nil {
		return t, ok, err
	}
	k, err := j.keep(d)
	if k == nil || err != nil {
		return t, false, err
	}
	shape := k.shape
	if k.commits != nil {
		shape = func(p int, t *worker.Task) { t.Sum = &k.commits[p] }
	}
	return table{rows: k.query, shape: shape, dealt: k.dealt}, true, nil
}

// use returns the table of a data set that has, or will get, a table of its own, or nil. The table stays until the
// attempt's end.
func (j keeper) use(d *engine.Dataset) (*keeping, engine.StorageLevel) {
	e := j.engine
	_, inMemory := d.Plan().(engine.DriverRows)
	e.mu.Lock()
	defer e.mu.Unlock()
	level, persisted := e.levels[d]
	if k := j.kept[d]; k != nil {
		return k, level
	}
	if !inMemory && !persisted {
		return nil, level
	}
	k := e.kept[d]
	if k == nil {
		k = &keeping{dataset: d, busy: make(chan struct{}, 1)}
		e.kept[d], e.all[k] = k, true
	}
	k.users++
	j.kept[d] = k
	return k, level
}

// keep returns the table of a data set that has its own, or nil. It makes the table when it is first needed.
func (j keeper) keep(d *engine.Dataset) (*keeping, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	k, level := j.use(d)
	if k == nil {
		return nil, nil
	}
	j.from = append(j.from, k)
	free, err := j.take(k)
	if err != nil {
		return nil, err
	}
	defer free()
	if k.made {
		return k, nil
	}
	return k, j.make(k, level)
}

// take locks a data set's table for this job, until free.
func (j keeper) take(k *keeping) (free func(), err error) {
	select {
	case k.busy <- struct{}{}:
		return func() { <-k.busy }, nil
	case <-j.ctx.Done():
		return nil, fmt.Errorf("the job on %s was given up: %w", j.engine.Master(), context.Cause(j.ctx))
	}
}

// make makes the table. Its views must outlive this job.
func (j keeper) make(k *keeping, level engine.StorageLevel) (err error) {
	e := j.engine
	k.name, k.commits, k.needs = e.unique("k"), nil, make(map[string]bool)
	own := &job{carrier: j.carrier, engine: e, ctx: j.ctx, name: k.name, number: j.number, kept: j.kept, starts: j.starts,
		fetched: j.fetched,
		keeps:   true}
	defer own.interpret()
	if rows, ok := k.dataset.Plan().(engine.DriverRows); ok {
		err = own.keeper().bring(k, rows, level)
	} else if err = j.carrier.want(j.ctx, k.name); err == nil {
		err = own.keeper().persist(k, k.dataset, level)
	}
	j.tasks += own.tasks
	k.fragile = own.fragile
	for _, from := range own.from {
		k.needs[from.name] = true
		maps.Copy(k.needs, from.needs)
		k.fragile = k.fragile || from.fragile
	}
	if err != nil {
		e.unwant(k.name)
		j.views, j.values = append(j.views, own.views...), append(j.values, own.values...)
		return err
	}
	k.views, k.values, k.made = own.views, own.values, true
	return nil
}

// persist computes a data set, and makes Spark keep it. Rows that Spark itself has moved are kept as they are; a worker
// checks their order whenever it reads them. Rows that workers write are verified now, by their commits.
func (j keeper) persist(k *keeping, d *engine.Dataset, level engine.StorageLevel) error {
	t, tasks, err := j.planner().derive(d, upTo(d.Partitions()))
	if err != nil {
		return err
	}
	_, moved := d.Plan().(engine.Exchanged)
	kept := t.rows
	k.dealt = t.dealt || !inOrder(tasks)
	if !moved {
		lines, err := j.transform(t, tasks)
		if err != nil {
			return err
		}
		kept = sealed(lines)
	}
	// The name makes the plan differ from all other plans of the cluster.
	kept = sqlf("SELECT * FROM (%s) WHERE p IS NOT NULL OR k = '"+j.name+"'", kept)
	r := connect.SQL(string(kept))
	at := storageLevel(level)
	if moved || queried(d) || !at.Memory {
		at.Disk = true // recomputing a part would mean moving everything again
	}
	if err := j.session.Persist(j.ctx, r, at); err != nil {
		return err
	}
	view, err := j.view(r)
	if err == nil { // under this name Spark also finds it after the views below it are gone
		r = connect.Table(view)
	}
	k.persisted, k.query = &r, query("SELECT p, k, line FROM "+view+" WHERE k <> 'l'") // log lines come once
	switch {
	case err != nil:
	case moved:
		k.shape = t.shape
	default:
		k.commits, k.whole, err = j.readCommits(query("SELECT line FROM "+view+" WHERE k IN ('c', 'e', 'l')"),
			d.Partitions())
	}
	if err != nil {
		ctx, cancel := cleanup(j.ctx)
		defer cancel()
		j.left("rows that nobody needs", j.session.Unpersist(ctx, r, false))
		k.persisted, k.commits = nil, nil
	}
	return err
}

// queried reports whether a data set's partitions are made from a query's rows.
func queried(d *engine.Dataset) bool {
	for {
		switch plan := d.Plan().(type) {
		case *selected:
			return true
		case engine.Mapped:
			d = plan.Parent
		case engine.Indexed:
			d = plan.Parent
		default:
			return false
		}
	}
}

// storageLevel returns Spark's level. Spark calls its batches of columns deserialised, with each column's bytes in one
// array. Serialising them once more would cost time and twice the memory.
func storageLevel(l engine.StorageLevel) connect.StorageLevel {
	return connect.StorageLevel{Disk: l.Disk(), Memory: l.Memory(), OffHeap: l == engine.OffHeap,
		Deserialized: l.Memory() && l != engine.OffHeap, Replication: l.Replicas()}
}
