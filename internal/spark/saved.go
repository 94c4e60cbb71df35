package spark

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// Saved rows lie in a managed table of their own, since dropping it is how Spark Connect deletes files. If the user
// gives a directory, the table is in a database of its own whose location is the run's directory there. Otherwise it is
// in the session's current database. The table has the records of all partitions:
//
//	p INT        the partition
//	k STRING     the record's kind, see table
//	line STRING  the record
//	seq BIGINT   its place in the partition
//	told STRING  the line again, of commits, failures and log lines: the lines that the driver reads first
//
// So missing or cut rows are noticed: after writing, and by each worker that reads them.
const savedColumns = "p INT, k STRING, line STRING, seq BIGINT, told STRING"

// Lines are long, so row groups are small. zstd is the one compression that undoes the overhead of base64, a third;
// snappy and LZ4 do not.
const savedFormat = "USING parquet OPTIONS ('compression' = 'zstd', 'parquet.block.size' = '33554432')"

// savedRows is the plan of a saved data set.
type savedRows struct {
	table   string // for SQL: a table, or files
	commits []engine.Commit
}

// savedTable makes the table of saved rows.
func (j planner) savedTable(plan *savedRows) (table, error) {
	rows := query("SELECT p, k, line, seq AS place, bigint(0) AS seq FROM " + plan.table)
	return table{rows: j.engine.placed(rows, len(plan.commits), inBlocks),
		shape: func(p int, t *worker.Task) { t.Sum = &plan.commits[p] }}, nil
}

// Save writes the records of d to a table of Spark's: see savedColumns.
func (e *Engine) Save(ctx context.Context, d *engine.Dataset, dir string) (*engine.Saved, error) {
	s, err := e.newSaving(ctx, dir)
	if err != nil {
		return nil, err
	}
	var commits []engine.Commit
	err = e.do(ctx, func(j *job) (err error) {
		commits, err = s.write(j, d)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.remove(context.WithoutCancel(ctx)))
	}
	saved := engine.FromPlan(e, &savedRows{s.table, commits}, len(commits))
	return engine.NewSaved(saved, s.place, s.remove, s.keep), nil
}

// saving is a run's saved data on the cluster's storage.
type saving struct {
	engine   *exports
	name     string
	database bool   // it has a database of its own
	table    string // for SQL
	place    string // the directory; empty until it is known

	over   context.Context // done when it is to be removed
	end    context.CancelFunc
	seeing sync.Mutex // held while the file that shows that the run lives is written

	mu     sync.Mutex
	gone   bool
	broken bool // Spark broke off writing
}

// removeDeadline bounds the removal of a run's saved data.
const removeDeadline = 2 * time.Minute

// newSaving makes the table.
func (e *exports) newSaving(ctx context.Context, dir string) (*saving, error) {
	s := &saving{engine: e, name: engine.RunName(time.Now()), database: dir != ""}
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	s.over, s.end = context.WithCancel(context.Background())
	c, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	catalogue, database, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	if s.database {
		s.table, s.place = dotted(catalogue, s.name, "data"), under(dir, s.name)
		if err := c.createDatabase(ctx, dotted(catalogue, s.name), s.place); err != nil && unknownScheme(err) {
			return nil, fmt.Errorf("%s: Spark itself writes there, and does not know such URLs; add hadoop-aws to Spark "+
				"for S3, name a directory that it knows, or none, for a table in the database %s", s.place, database)
		} else if err != nil {
			return nil, fmt.Errorf("%s: a database for the run can't be made there; get the right to make one, or name no "+
				"directory, for a table in the database %s: %w", s.place, database, err)
		}
	} else {
		s.table = dotted(catalogue, database, s.name)
	}
	// The table is removed again even if an answer is lost.
	err = c.exec(ctx, "CREATE TABLE "+s.table+" ("+savedColumns+") "+savedFormat)
	if err != nil {
		err = fmt.Errorf("the table %s can't be made; the right to do that is needed: %w", s.table, err)
	} else if s.place == "" {
		s.place, err = c.location(ctx, s.table)
	}
	if err != nil {
		return nil, errors.Join(err, s.remove(context.WithoutCancel(ctx)))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saved[s.name] = s
	return s, nil
}

// write replaces the table's rows by the records of d, and reads the commits.
func (s *saving) write(j *job, d *engine.Dataset) ([]engine.Commit, error) {
	if d.Partitions() == 0 {
		return nil, d.Err()
	}
	rows, err := j.planner().sealedRows(d)
	if err != nil {
		return nil, err
	}
	q := sqlf("SELECT p, k, line, bigint("+field(3)+") AS seq, IF(k IN ('c', 'e', 'l'), line, NULL) AS told FROM (%s)",
		rows)
	if err := j.session.InsertInto(j.ctx, connect.SQL(string(q)), s.table, connect.Overwrite,
		connect.Run{Timeout: j.deadline()}); err != nil {
		s.mu.Lock()
		s.broken = true
		s.mu.Unlock()
		return nil, err
	}
	commits, _, err := j.readCommits(query("SELECT told AS line FROM "+s.table+" WHERE told IS NOT NULL"),
		d.Partitions())
	return commits, err
}

// remove drops the table, and its database if it has its own.
func (s *saving) remove(ctx context.Context) error {
	s.end()
	s.seeing.Lock()
	defer s.seeing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, removeDeadline)
	defer cancel()
	c, err := s.engine.acquire(ctx)
	if err == nil {
		defer c.release()
		soon, cancel := cleanup(ctx)
		err = c.answers(soon) // the removal may take a while, but a silent server is given up soon
		cancel()
	}
	if err == nil {
		err = c.dropTable(ctx, s.table)
	}
	if err == nil && s.database {
		err = c.exec(ctx, "DROP DATABASE IF EXISTS "+dotted(s.name)+" CASCADE")
	}
	if err == nil && s.broken {
		err = s.sweep(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("the table %s could not be removed; dl4go clean does it later: %w", s.table, err)
	}
	s.gone = true
	s.forget()
	return nil
}

// sweep removes the output of tasks that Spark has killed. Spark does not report when such tasks have ended: the query
// ends before. A task that opens its file makes the dropped directory again, at the latest with the last rows of its
// worker. So sweep watches the place until workers have heard that they are not wanted, and longer if the directory
// reappears.
func (s *saving) sweep(ctx context.Context, c *carrier) error {
	if s.engine.sweeping != nil {
		s.engine.sweeping()
	}
	hear := s.engine.heartbeatEvery() + heartbeatAsk
	for until := time.Now().Add(hear); ; {
		there, err := c.exists(ctx, s.place)
		if err == nil && there {
			until = time.Now().Add(hear)
			err = c.removeDirectory(ctx, s.name, s.place)
		}
		if err != nil {
			return err
		}
		if time.Now().After(until) {
			return nil
		}
		select {
		case <-time.After(sweepEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

const sweepEvery = 200 * time.Millisecond

// forget makes the engine no longer report the saved data as in use.
func (s *saving) forget() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	delete(s.engine.saved, s.name)
}

// keep writes a marker file beside the rows, for Runs: a catalogue in the server's memory does not survive the server.
func (s *saving) keep(ctx context.Context) error {
	c, err := s.engine.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	marker := connect.SQL("SELECT 'kept' AS value")
	if err := c.session.SaveFiles(ctx, marker, under(s.place, keptName), "text", connect.Overwrite,
		connect.Run{Timeout: removeDeadline}); err != nil {
		return err
	}
	s.forget()
	return nil
}
