package doctor

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
)

// double doubles the content of every file.
var double = engine.Register("spark.doctor", func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		var f engine.File
		if err == nil {
			f, err = engine.FileOf(row)
		}
		if err != nil {
			return err
		}
		f.Content = slices.Concat(f.Content, f.Content)
		if err := out.Write(f.Row()); err != nil {
			return err
		}
	}
	return nil
})

// The data of the examination's jobs.
const (
	partitions = 2
	rowsEach   = 100
	rowBytes   = 1000
)

func (e *exam) data() *engine.Dataset {
	rows := make([][]engine.Row, partitions)
	for p := range rows {
		for i := range rowsEach {
			rows[p] = append(rows[p], engine.File{Path: fmt.Sprint(p*rowsEach + i), Content: make([]byte, rowBytes)}.Row())
		}
	}
	return engine.Parallelize(e.engine, rows).Map(double.With(struct{}{}))
}

// verify evaluates a data set, which should have the examination's rows.
func verify(ctx context.Context, d *engine.Dataset) error {
	rows := 0
	err := d.Collect(ctx, func(_ int, row engine.Row) error {
		f, err := engine.FileOf(row)
		if err == nil && (path.Base(f.Path) != fmt.Sprint(rows) || len(f.Content) != 2*rowBytes) {
			err = fmt.Errorf("row %d came back as row %s with %d bytes", rows, f.Path, len(f.Content))
		}
		rows++
		return err
	})
	if err == nil && rows != partitions*rowsEach {
		err = fmt.Errorf("%d rows came back, of %d", rows, partitions*rowsEach)
	}
	return err
}

// Jobs returns a check that runs a job on an engine.
func Jobs(on engine.Engine) checkup.Check {
	e := &exam{start: func(context.Context) (engine.Engine, error) { return on, nil }}
	return checkup.Check{Name: "job", Deadline: slotWait, Run: func(ctx context.Context) []checkup.Finding {
		return []checkup.Finding{e.job(ctx)}
	}}
}

// job starts the engine and runs a job.
func (e *exam) job(ctx context.Context) checkup.Finding {
	begin := time.Now()
	var err error
	if e.engine, err = e.start(ctx); err != nil {
		return failed(err, "")
	}
	started := time.Since(begin)
	if err := verify(ctx, e.data()); err != nil {
		return failed(err, "")
	}
	const unit = 10 * time.Millisecond
	return checkup.Okf("%d rows went to workers and came back; %v to start, %v for the job", partitions*rowsEach,
		started.Round(unit),
		(time.Since(begin) - started).Round(unit))
}

// persistence persists rows.
func (e *exam) persistence(ctx context.Context) checkup.Finding {
	d := e.data()
	e.engine.Persist(d, engine.MemoryAndDisk)
	defer e.engine.Unpersist(d)
	for range 2 {
		if err := verify(ctx, d); err != nil {
			return failed(err,
				"sessions must be allowed to persist data: without it every round of training reads all examples again")
		}
	}
	return checkup.Okf("allowed")
}

// tables saves rows as a Spark table.
func (e *exam) tables(ctx context.Context) checkup.Finding {
	bad := warehouse(e.settings["spark.sql.warehouse.dir"], len(e.hosts()))
	if err := e.save(ctx, ""); err != nil {
		fix := "needed for --approach export and for predictions that go to a table only: the right to make tables in the " +
			"session's " +
			"database, and storage for them that all machines reach (spark.sql.warehouse.dir)"
		if bad != "" {
			fix = bad + "; " + fix
		}
		return checkup.Warn(err.Error(), fix)
	}
	if bad != "" {
		return checkup.Warn(bad, "name storage that all machines reach, such as hdfs://…, when the Connect server is started")
	}
	return checkup.Okf("written, read and dropped")
}

// directory saves rows to the wanted directory.
func (e *exam) directory(ctx context.Context) checkup.Finding {
	if err := e.save(ctx, e.wanted.Dir); err != nil {
		return failed(err, "all executors must be able to write there, and the user to make a database; a path without "+
			"a scheme is on the cluster's default file system, file:///… on each machine's own disks")
	}
	return checkup.Okf("%s: written, read and removed", e.wanted.Dir)
}

// save saves rows, reads them back, and removes them.
func (e *exam) save(ctx context.Context, dir string) error {
	saved, err := e.data().Save(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(verify(ctx, saved.Dataset), saved.Remove(context.WithoutCancel(ctx)))
}
