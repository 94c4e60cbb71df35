package spark

import (
	"context"
	"fmt"
	"maps"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// tables is what an engine has of data sets that lie in tables of their own: rows of the driver, and what Persist asked
// for.
type tables struct {
	*sessions
	levels map[*engine.Dataset]engine.StorageLevel // that Persist asked for
	kept   map[*engine.Dataset]*keeping
	all    map[*keeping]bool // also those that were forgotten, until they are dropped

	undropped []*keeping // since the server did not answer
}

func newTables(s *sessions) *tables {
	return &tables{sessions: s, levels: make(map[*engine.Dataset]engine.StorageLevel),
		kept: make(map[*engine.Dataset]*keeping), all: make(map[*keeping]bool)}
}

// keeping is a data set that lies in a table of its own.
type keeping struct {
	dataset   *engine.Dataset
	busy      chan struct{} // holds a token while a job makes the table
	made      bool
	sent      *sent  // rows of the driver's, also without a table
	name      string // the job in which workers compute it, now or when Spark has lost a part of it
	query     query
	shape     func(partition int, t *worker.Task) // of rows that Spark put in place; nil for what workers wrote
	commits   []engine.Commit                     // of what workers wrote, or the driver
	whole     bool                                // no row is in pieces
	dealt     bool                                // see table
	views     []string
	values    []*broadcast // that its queries need
	persisted *connect.Relation
	fragile   bool            // an executor that is lost takes rows with it that the driver has to send again
	needs     map[string]bool // the names of those that it was made of

	// The engine's lock guards these.
	users     int  // attempts at jobs that may have it in a query
	forgotten bool // the last of them drops it
}

// keeper has a job use tables that lie in Spark, and makes them: what Persist asked for, and rows of the driver.
type keeper struct{ *job }

func (j *job) keeper() keeper { return keeper{j} }

// rows is a query for the records.
func (k *keeping) rows() query {
	if k == nil {
		return query{}
	}
	return k.query
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

// use finds the table of a data set that has one of its own, or is to have one, and has it stay until the attempt's
// end.
func (j keeper) use(d *engine.Dataset) (*keeping, engine.StorageLevel) {
	e := j.engine
	_, inMemory := d.Plan().(engine.InMemory)
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

// keep gives the table of a data set that has one of its own, or nil. It is made when it is first asked for.
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

// take has this job alone change what there is of a data set, until free.
func (j keeper) take(k *keeping) (free func(), err error) {
	select {
	case k.busy <- struct{}{}:
		return func() { <-k.busy }, nil
	case <-j.ctx.Done():
		return nil, fmt.Errorf("the job on %s was given up: %w", j.engine.Master(), context.Cause(j.ctx))
	}
}

// make makes the table. Views that it is made of must outlive this job.
func (j keeper) make(k *keeping, level engine.StorageLevel) (err error) {
	e := j.engine
	k.name, k.commits, k.needs = e.unique("k"), nil, make(map[string]bool)
	own := &job{carrier: j.carrier, engine: e, ctx: j.ctx, name: k.name, number: j.number, kept: j.kept, starts: j.starts,
		fetched: j.fetched,
		keeps:   true}
	defer own.interpret()
	if rows, ok := k.dataset.Plan().(engine.InMemory); ok {
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

// persist computes a data set, and has Spark keep it. Rows that Spark itself puts in place are kept as they are, and a
// worker holds them to their order whenever it reads them; what workers write is verified now, by its commits.
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
	// The name makes the plan differ from any other of the cluster's.
	kept = sqlf("SELECT * FROM (%s) WHERE p IS NOT NULL OR k = '"+j.name+"'", kept)
	r := connect.SQL(kept.sql, kept.args...)
	at := storageLevel(level)
	if moved || queried(d) || !at.Memory {
		at.Disk = true // to compute a part of it again is to move everything again
	}
	if err := j.session.Persist(j.ctx, r, at); err != nil {
		return err
	}
	view, err := j.view(r)
	if err == nil { // by this name Spark also finds it when the views are gone that it was made of
		r = connect.Table(view)
	}
	k.persisted, k.query = &r, query{sql: "SELECT p, k, line FROM " + view + " WHERE k <> 'l'"} // log lines come once
	switch {
	case err != nil:
	case moved:
		k.shape = t.shape
	default:
		k.commits, k.whole, err = j.readCommits(query{sql: "SELECT line FROM " + view + " WHERE k IN ('c', 'e', 'l')"},
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

// queried says whether a data set's partitions are made of a query's rows.
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

// storageLevel is Spark's. What Spark calls deserialised are its batches of columns, each column's bytes in one array:
// serialising those once more would cost time and twice the memory.
func storageLevel(l engine.StorageLevel) connect.StorageLevel {
	return connect.StorageLevel{Disk: l.Disk(), Memory: l.Memory(), OffHeap: l == engine.OffHeap,
		Deserialized: l.Memory() && l != engine.OffHeap, Replication: l.Replicas()}
}
