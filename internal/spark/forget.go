package spark

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// Persist makes Spark keep d's records when they are next computed. Records that are already kept stay at their level.
func (e *tables) Persist(d *engine.Dataset, level engine.StorageLevel) {
	if level == engine.None {
		e.Unpersist(d)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.levels[d] = level
}

// Unpersist drops d's kept records when no job reads them any more. It also drops rows of the driver, which are sent
// again when needed.
func (e *tables) Unpersist(d *engine.Dataset) {
	e.mu.Lock()
	k := e.kept[d]
	delete(e.levels, d)
	e.mu.Unlock()
	if k != nil {
		e.forget(k)
	}
}

// forget hides these tables from later attempts, and drops the unused ones.
func (e *tables) forget(all ...*keeping) {
	e.jobs.Add(1)
	defer e.jobs.Done()
	var over []*keeping
	e.mu.Lock()
	for _, k := range all {
		if e.kept[k.dataset] == k {
			delete(e.kept, k.dataset)
		}
		if !k.forgotten && k.users == 0 {
			over = append(over, k)
		}
		k.forgotten = true
	}
	e.mu.Unlock()
	e.drop(over...)
}

// leave ends the attempt's use of its tables.
func (j *job) leave() {
	var over []*keeping
	j.engine.mu.Lock()
	for _, k := range j.kept {
		if k.users--; k.users == 0 && k.forgotten {
			over = append(over, k)
		}
	}
	j.engine.mu.Unlock()
	j.engine.drop(over...)
}

// forget drops the tables that may hold the failure of an attempt, so that the next attempt makes them again. If the
// failure names the table whose workers failed, these are that table and all tables made from it; otherwise all but the
// driver's rows. If an executor was lost with rows of a checkpoint, the driver's rows in it are sent again.
func (j *job) forget(err error) {
	var over []*keeping
	var failure *worker.Failure
	lost, told := lostRows(err), errors.As(err, &failure) && failure.Job != ""
	j.engine.mu.Lock()
	sent := make(map[string]bool)
	for d, k := range j.kept {
		_, rows := d.Plan().(engine.DriverRows)
		switch {
		case lost && k.fragile:
			sent[k.name] = true
			for name := range k.needs {
				sent[name] = true
			}
		case !lost && told && (k.name == failure.Job || k.needs[failure.Job]), !lost && !told && !rows:
			over = append(over, k)
		}
	}
	for k := range j.engine.all {
		if sent[k.name] && k.fragile {
			over = append(over, k)
		}
	}
	j.engine.mu.Unlock()
	j.engine.forget(over...)
}

// lostRows reports whether a query failed because an executor with rows of a checkpoint is gone.
func lostRows(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && strings.Contains(spark.Error(), "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND")
}

// silence is how long a server that did not answer is not asked again to drop tables. When the engine is closed, it is
// asked once more, after lastSilence.
const silence, lastSilence = 30 * time.Second, 5 * time.Second

// drop removes unused tables from the cluster. If the server does not answer, it tries again together with later
// tables, and when the engine is closed.
func (e *tables) drop(all ...*keeping) {
	e.mu.Lock()
	all = append(e.undropped, all...)
	e.undropped = nil
	quiet := silence
	if context.Cause(e.base) != nil {
		quiet = lastSilence
	}
	if time.Since(e.silent) < quiet {
		e.undropped, all = all, nil
	}
	e.mu.Unlock()
	if len(all) == 0 {
		return
	}
	c := e.running()
	if c == nil {
		return
	}
	defer c.release()
	for i, k := range all {
		err := e.dropOne(c, k)
		if err == nil {
			continue
		}
		e.options.Log.Warn("Spark may still keep rows", "master", e.Master(), "error", err)
		if unreachable(err) {
			e.mu.Lock()
			e.undropped = append(e.undropped, all[i:]...)
			e.mu.Unlock()
			return
		}
	}
}

func (e *tables) dropOne(c *carrier, k *keeping) (err error) {
	ctx, cancel := cleanup(context.Background())
	defer cancel()
	e.unwantTable(k)
	for _, v := range k.values {
		v.Release()
	}
	if k.sent != nil {
		k.sent.file.Release()
	}
	if k.persisted == nil && len(k.views) == 0 {
		return nil
	}
	if err = c.answers(ctx); err == nil && k.persisted != nil {
		err = c.session.Unpersist(ctx, *k.persisted, false)
	}
	if !unreachable(err) {
		err = errors.Join(err, c.dropAll(ctx, k.views))
	}
	return err
}

// unwantTable ends the heartbeat for the workers that compute a table, and for those of its dropped sources. It
// continues for tables from which kept tables were made: Spark may recompute a part of them.
func (e *tables) unwantTable(k *keeping) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.all, k)
	needed := make(map[string]bool)
	for other := range e.all {
		needed[other.name] = true
		for name := range other.needs {
			needed[name] = true
		}
	}
	for name := range k.needs {
		if !needed[name] {
			delete(e.wanted, name)
		}
	}
	if !needed[k.name] {
		delete(e.wanted, k.name)
	}
}

// answers fails if the server does not answer. A command would take longer to fail.
func (c *carrier) answers(ctx context.Context) error {
	_, err := c.session.Get(ctx, "spark.app.id")
	if unreachable(err) {
		c.engine.mu.Lock()
		c.engine.silent = time.Now()
		c.engine.mu.Unlock()
	}
	return err
}

// dropAll drops views, the last one first.
func (c *carrier) dropAll(ctx context.Context, views []string) error {
	if len(views) == 0 {
		return nil
	}
	if err := c.answers(ctx); err != nil {
		return err
	}
	var failed []error
	for _, view := range slices.Backward(views) {
		if err := c.session.DropGlobalView(ctx, view); err != nil {
			if failed = append(failed, err); unreachable(err) {
				break
			}
		}
	}
	return errors.Join(failed...)
}

// left logs that something could not be removed. It does no harm but takes space.
func (c *carrier) left(what string, err error) {
	if err != nil {
		c.engine.options.Log.Debug("Spark keeps "+what, "master", c.engine.Master(), "error", err)
	}
}

// unreachable reports whether the server did not answer, or has forgotten the session: further requests are of no use.
func unreachable(err error) bool {
	var spark *connect.Error
	if errors.As(err, &spark) {
		return spark.Gone() || spark.Code == codes.Unavailable || spark.Code == codes.DeadlineExceeded
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// running returns the current carrier, which must be released, or nil. It does not make one.
func (e *sessions) running() *carrier {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.carrier == nil {
		return nil
	}
	return e.carrier.use()
}
