package spark

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/storage"
)

var _ engine.Cleaner = (*Engine)(nil)

// keptName is the directory beside saved rows that marks them as kept.
const keptName = "dl4go_kept"

// exports tracks this engine's saved data, and finds other runs' data.
type exports struct {
	*sessions
	saved    map[string]*saving // by its name
	sweeping func()             // called, if not nil, before a removal watches for late tasks; for tests
}

// Runs lists the saved data of runs, as the catalogue knows it: tables in the current database, and databases. A
// catalogue may be in the memory of a server that was restarted, so it also lists run directories that the catalogue
// does not know. With dir, it only lists data below dir; without, also runs' data in Spark's views.
func (e *exports) Runs(ctx context.Context, dir string) ([]engine.Run, error) {
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	c, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	known, err := c.catalogued(ctx)
	if err != nil {
		return nil, err
	}
	base := dir
	if dir == "" {
		catalogue, database, err := c.current(ctx)
		if err != nil {
			return nil, err
		}
		if base, err = c.databaseLocation(ctx, dotted(catalogue, database)); err != nil {
			return nil, err
		}
	}
	found, err := c.runFiles(ctx, under(base, runGlob))
	if err != nil {
		return nil, err
	}
	found.addEmpty(ctx, base)
	var runs []engine.Run
	for name, at := range known {
		if dir != "" && !parsePath(under(dir, name)).same(parsePath(at.location)) {
			continue
		}
		files, ok := found[name]
		if !ok || files.location != parsePath(at.location) {
			elsewhere, err := c.runFiles(ctx, globless.Replace(at.location))
			if err != nil {
				return nil, err
			}
			files = elsewhere[name]
		}
		delete(found, name)
		if files.kept {
			continue
		}
		runs = append(runs, engine.Run{Name: name, Place: at.location, Seen: later(at.seen, files.seen), Bytes: files.bytes,
			Owner: e.owns(name)})
	}
	for name, files := range found {
		if began, ok := engine.RunTime(name); ok && !files.kept {
			runs = append(runs, engine.Run{Name: name, Place: under(base, name), Seen: later(began, files.seen),
				Bytes: files.bytes, Owner: e.owns(name)})
		}
	}
	if dir == "" {
		views, err := c.views(ctx)
		if err != nil {
			return nil, err
		}
		for name, r := range views {
			r.Owner = e.owns(name)
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b engine.Run) int { return strings.Compare(a.Name, b.Name) })
	return runs, nil
}

// owns reports whether a run's data belongs to this engine. Of other runs, only Seen is known.
func (e *exports) owns(name string) engine.Owner {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.saved[name] != nil || name+"_" == e.name {
		return engine.OwnerLives
	}
	return engine.OwnerUnknown
}

// RemoveRun drops a run's table or database, or its views. A directory that the catalogue does not know becomes the
// location of a database, which is dropped.
func (e *exports) RemoveRun(ctx context.Context, r engine.Run) error {
	views := r.Place == viewPlace+r.Name
	if _, ok := engine.RunTime(r.Name); !ok || !views && path.Base(parsePath(r.Place).path) != r.Name {
		return fmt.Errorf("%s is not what a run has: it is left alone", r.Place)
	}
	if e.owns(r.Name) == engine.OwnerLives {
		return fmt.Errorf("%s is in use", r.Place)
	}
	c, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	if views {
		return c.dropViews(ctx, r.Name)
	}
	if err := checkDir(r.Place); err != nil {
		return err
	}
	known, err := c.catalogued(ctx)
	if err != nil {
		return err
	}
	at, ok := known[r.Name]
	if ok && !parsePath(at.location).same(parsePath(r.Place)) {
		return fmt.Errorf("%s is not where the catalogue has %s, which is %s: it is left alone", r.Place, r.Name, at.location)
	}
	if ok && !at.database {
		return c.dropTable(ctx, dotted(r.Name))
	}
	if !ok {
		return c.removeDirectory(ctx, r.Name, r.Place)
	}
	if err := c.dropTable(ctx, dotted(r.Name, "data")); err != nil {
		return err
	}
	return c.exec(ctx, "DROP DATABASE IF EXISTS "+dotted(r.Name)+" CASCADE")
}

// catalogued is the catalogue's entry of a run.
type catalogued struct {
	database bool
	location string
	seen     time.Time
}

// catalogued finds tables and databases with names of runs.
func (c catalogue) catalogued(ctx context.Context) (map[string]catalogued, error) {
	found := make(map[string]catalogued)
	add := func(name, table string, database bool) (err error) {
		began, ok := engine.RunTime(name)
		if !ok {
			return nil
		}
		at := catalogued{database: database, seen: began}
		if database {
			at.location, err = c.databaseLocation(ctx, dotted(name))
		} else {
			at.location, err = c.location(ctx, table)
		}
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		properties, err := c.texts(ctx, "SHOW TBLPROPERTIES "+table)
		for _, p := range properties {
			if s, err := strconv.ParseInt(p[1], 10, 64); p[0] == seenKey && err == nil {
				at.seen = time.Unix(s, 0)
			}
		}
		if err != nil && !gone(err) {
			return err
		}
		found[name] = at
		return nil
	}
	tables, err := c.texts(ctx, "SHOW TABLES LIKE 'dl4go_run_*'")
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := add(t[1], dotted(t[1]), false); err != nil {
			return nil, err
		}
	}
	databases, err := c.texts(ctx, "SHOW DATABASES LIKE 'dl4go_run_*'")
	if err != nil {
		return nil, err
	}
	for _, d := range databases {
		if err := add(d[0], dotted(d[0], "data"), true); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// gone reports whether an error says that a table or database does not exist (any more).
func gone(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && (spark.Class == "TABLE_OR_VIEW_NOT_FOUND" || spark.Class == "SCHEMA_NOT_FOUND" ||
		spark.Class == "PATH_NOT_FOUND")
}

const runGlob = "dl4go_run_*"

// runFiles describes a run's directory.
type runFiles struct {
	location location
	bytes    int64
	seen     time.Time // when its driver last wrote there that it is alive
	// kept: it belongs to no run any more. That includes directories with other files than tables have, for example
	// exports of a run on one machine to a directory that the cluster sees too.
	kept bool
}

// runDirs are runs' directories, by the run's name.
type runDirs map[string]runFiles

// add adds a file to the run in whose directory it lies, if any.
func (d runDirs) add(file location, bytes int64, written time.Time) {
	at, inside := file, ""
	for at.path != "/" && at.path != "." {
		name := path.Base(at.path)
		if _, ok := engine.RunTime(name); ok {
			f := d[name]
			f.location, f.bytes = at, f.bytes+bytes
			if inside == seenName {
				f.seen = later(f.seen, written)
			}
			f.kept = f.kept || inside == keptName || inside != seenName && !strings.HasSuffix(file.path, ".parquet")
			d[name] = f
			return
		}
		at.path, inside = path.Dir(at.path), name
	}
}

// addEmpty adds the directories of runs that have no file. Spark doesn't list them. They are there when a late task of
// a killed run has made its directory again. Only directories that this machine reads are added.
func (d runDirs) addEmpty(ctx context.Context, base string) {
	dirs, err := storage.Directories(ctx, base)
	if err != nil {
		return // perhaps Spark has it where this machine can't look
	}
	for _, dir := range dirs {
		name := storage.Base(dir)
		if _, listed := d[name]; listed {
			continue
		}
		if _, ok := engine.RunTime(name); ok && empty(ctx, dir) {
			d[name] = runFiles{location: parsePath(dir)}
		}
	}
}

// empty reports whether there is no file below a directory.
func empty(ctx context.Context, dir string) bool {
	files, err := storage.List(ctx, dir)
	if err != nil || len(files) > 0 {
		return false
	}
	dirs, err := storage.Directories(ctx, dir)
	return err == nil && !slices.ContainsFunc(dirs, func(dir string) bool { return !empty(ctx, dir) })
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// runFiles lists the directories of runs that match a pattern of Spark's.
func (c catalogue) runFiles(ctx context.Context, pattern string) (runDirs, error) {
	found := make(runDirs)
	all := connect.Files("binaryFile", map[string]string{"recursiveFileLookup": "true"}, pattern)
	err := c.session.Collect(ctx, all.Select(connect.Col("path"), connect.Col("length"),
		connect.Text("unix_millis(modificationTime)")), connect.Run{Timeout: lookup}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			found.add(parsePath(b.Columns[0].Text(i)), b.Columns[1].Int(i), time.UnixMilli(b.Columns[2].Int(i)))
		}
		return nil
	})
	if gone(err) {
		return runDirs{}, nil
	}
	return found, err
}
