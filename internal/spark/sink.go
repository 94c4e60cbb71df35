package spark

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// CheckTable compares the write with the table in the catalogue.
func (e *Engine) CheckTable(ctx context.Context, w engine.TableWrite) error {
	if err := checkColumns(w); err != nil {
		return err
	}
	c, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	there, err := c.columns(ctx, connect.Table(w.Table))
	if missing := (*connect.Error)(nil); errors.As(err, &missing) &&
		strings.HasPrefix(missing.Class, "TABLE_OR_VIEW_NOT_FOUND") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the table %s: %w", w.Table, said(err))
	}
	switch w.Mode {
	case engine.Overwrite:
		return nil
	case engine.Append:
		return fits(w, there)
	}
	return &engine.TableExistsError{Table: w.Table}
}

// checkColumns refuses columns that WriteTable can't write.
func checkColumns(w engine.TableWrite) error {
	if w.Table == "" || len(w.Columns) == 0 {
		return fmt.Errorf("a table's name and its columns are needed to write it")
	}
	switch w.Mode {
	case "", engine.ErrorIfExists, engine.Append, engine.Overwrite:
	default:
		return fmt.Errorf("a table is written in the mode %s, %s or %s, not %q", engine.ErrorIfExists, engine.Append,
			engine.Overwrite, w.Mode)
	}
	for i, c := range w.Columns {
		if !c.Plain() && c.Type != "array<float>" {
			return fmt.Errorf("column %s of the table %s: values of the type %s can't be written", c.Name, w.Table, c.Type)
		}
		for _, other := range w.Columns[:i] {
			if strings.EqualFold(c.Name, other.Name) {
				return fmt.Errorf("two columns to be written to the table %s have the name %s: rename the key, in a query by AS",
					w.Table, c.Name)
			}
		}
	}
	return nil
}

// fits fails unless rows can be added to a table with these columns.
func fits(w engine.TableWrite, there []engine.Column) error {
	has := make(map[string]string)
	var list []string
	for _, c := range there {
		has[strings.ToLower(c.Name)] = c.Type
		list = append(list, c.Name+" "+c.Type)
	}
	for _, c := range w.Columns {
		t, ok := has[strings.ToLower(c.Name)]
		if !ok || t != c.Type {
			return fmt.Errorf("rows with a column %s of the type %s can't be added to the table %s, which has %s: write to "+
				"another table, or overwrite it",
				c.Name, c.Type, w.Table, strings.Join(list, ", "))
		}
	}
	if len(there) != len(w.Columns) {
		return fmt.Errorf("rows of %d columns can't be added to the table %s, which has %s: write to another table, or "+
			"overwrite it",
			len(w.Columns), w.Table, strings.Join(list, ", "))
	}
	return nil
}

// WriteTable keeps the rows, and makes Spark insert them by one query. Each partition passes one more worker on the
// way, which checks it against its commit. If a partition is incomplete, missing, or differs from the kept one, the
// query fails, and Spark discards the output of its tasks. Afterwards the rows in the table are counted.
func (e *Engine) WriteTable(ctx context.Context, d *engine.Dataset, w engine.TableWrite) (int64, error) {
	if err := e.CheckTable(ctx, w); err != nil {
		return 0, err
	}
	e.mu.Lock()
	_, persisted := e.levels[d]
	e.mu.Unlock()
	if !persisted {
		d.Persist(engine.MemoryAndDisk)
		defer d.Unpersist()
	}
	commits, err := d.Commits(ctx)
	if err != nil {
		return 0, err
	}
	if len(commits) == 0 {
		return 0, fmt.Errorf("there is nothing to write to the table %s: the data has no partitions", w.Table)
	}
	n := int64(0)
	for _, c := range commits {
		n += c.Rows
	}
	err = e.do(ctx, func(j *job) error { return tableWriter{j, w, n}.insert(d, commits) })
	if err != nil {
		return 0, fmt.Errorf("the table %s could not be written: %w", w.Table, said(err))
	}
	return n, nil
}

var saveModes = map[engine.WriteMode]connect.SaveMode{"": connect.ErrorIfExists,
	engine.ErrorIfExists: connect.ErrorIfExists,
	engine.Append:        connect.Append, engine.Overwrite: connect.Overwrite}

// tableWriter is a job that writes rows to a user's table.
type tableWriter struct {
	*job
	engine.TableWrite
	total int64 // rows
}

// insert writes the rows of a data set, which has these commits.
func (w tableWriter) insert(d *engine.Dataset, commits []engine.Commit) error {
	t, err := w.planner().gathered(engine.Gathered{Parent: d, Size: 1})
	if err != nil {
		return err
	}
	tasks := identity(upTo(len(commits)))
	for p := range tasks {
		step := document.With(documentConfig{Table: w.Table, Columns: w.Columns, Commit: commits[p]})
		tasks[p].links = []worker.Link{{Partition: p, Step: &step}}
	}
	lines, err := w.transform(t, tasks)
	if err != nil {
		return err
	}
	var fields, columns []string
	for i, c := range w.Columns {
		t, value := "STRING", fmt.Sprintf("string(unbase64(v.c%d))", i)
		switch base, _, _ := strings.Cut(strings.ToLower(c.Type), "("); {
		case c.Type == "array<float>":
			t, value = "ARRAY<FLOAT>", fmt.Sprint("v.c", i)
		case base == "timestamp":
			value = "timestamp_micros(bigint(" + value + "))"
		case base == "binary":
			value = fmt.Sprintf("unbase64(v.c%d)", i)
		case base != "string":
			value = "CAST(" + value + " AS " + c.Type + ")"
		}
		fields = append(fields, fmt.Sprintf("c%d %s", i, t))
		columns = append(columns, value+" AS "+connect.Quote(c.Name))
	}
	data := "string(unbase64(substring_index(line, " + tab + ", -1)))"
	rows := sqlf(`SELECT %s FROM (SELECT from_json(IF(k = 'r', `+data+`, raise_error(IF(k = 'e',
		concat('`+causeMark+`', `+data+`, '`+"\n"+`'),
		'a row is too long for a table'))), '%s', map('mode', 'FAILFAST')) AS v
		FROM (SELECT line, `+field(4)+` AS k FROM (%s)) WHERE k IN ('r', 'p', 'e'))`,
		strings.Join(columns, ", "), strings.Join(fields, ", "), lines)
	beside := false
	w.TableWrite, beside, err = w.toExisting(w.ctx, w.TableWrite)
	switch {
	case err != nil:
	case beside:
		err = w.swap(connect.SQL(string(rows)))
	default:
		err = w.save(connect.SQL(string(rows)))
	}
	if spark := (*connect.Error)(nil); errors.As(err, &spark) {
		if f, ok := worker.ParseCause(spark.Error()); ok {
			f.Permanent = true // Spark has tried it a few times
			return f
		}
	}
	return err
}

// causeMark begins the text that worker.ParseCause finds.
const causeMark = "dl4go-error "
