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

// Persist has Spark keep d's records when they are computed next. What is kept already stays at its level.
func (e *tables) Persist(d *engine.Dataset, level engine.StorageLevel) {
	if level == engine.None {
		e.Unpersist(d)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.levels[d] = level
}

// Unpersist drops what is kept of d, when no job reads it any more: also rows of the driver, which are sent again when
// they are needed again.
func (e *tables) Unpersist(d *engine.Dataset) {
	e.mu.Lock()
	k := e.kept[d]
	delete(e.levels, d)
	e.mu.Unlock()
	if k != nil {
		e.forget(k)
	}
}

// forget has no later attempt find these tables, and drops those that none uses.
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

// leave says that an attempt's queries are over.
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

// forget drops what may hold the failure of an attempt, so that the next one makes it again: where a failure says which
// table's workers it is from, that and what was made of it, else all but the driver's rows. Of those, the ones that an
// executor took with it are sent again.
func (j *job) forget(err error) {
	var over []*keeping
	var failure *worker.Failure
	lost, told := lostRows(err), errors.As(err, &failure) && failure.Job != ""
	j.engine.mu.Lock()
	sent := make(map[string]bool)
	for d, k := range j.kept {
		_, rows := d.Plan().(engine.InMemory)
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

// lostRows says whether a query failed since an executor is gone with rows of a checkpoint.
func lostRows(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && strings.Contains(spark.Error(), "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND")
}

// silence is how long a server that did not answer is not asked again to drop something; when the engine is closed, it
// is asked once more.
const silence, lastSilence = 30 * time.Second, 5 * time.Second

// drop takes tables that nobody uses off the cluster, or, where the server does not answer, tries that again with
// others, and when the engine is closed.
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

// unwantTable ends the wish for the workers that compute a table, and for those of its sources that were dropped
// before. Data made from the table may still have Spark recompute a part of it.
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

// answers fails where the server does not answer. A command would take longer to be given up.
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

// left logs that something could not be taken away, which does no harm but that it is there.
func (c *carrier) left(what string, err error) {
	if err != nil {
		c.engine.options.Log.Debug("Spark keeps "+what, "master", c.engine.Master(), "error", err)
	}
}

// unreachable says whether the server did not answer, or has forgotten the session: to ask for more is no use.
func unreachable(err error) bool {
	var spark *connect.Error
	if errors.As(err, &spark) {
		return spark.Gone() || spark.Code == codes.Unavailable || spark.Code == codes.DeadlineExceeded
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// running gives the carrier of now, which must be released, or nil: it makes none.
func (e *sessions) running() *carrier {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.carrier == nil {
		return nil
	}
	return e.carrier.use()
}
