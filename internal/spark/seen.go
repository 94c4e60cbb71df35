package spark

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// A driver on another machine can't be asked whether it is alive, so it says so every hour, for Runs. It does so in a
// view, on each table that it saved, and by a file beside the table's rows. The view outlives a killed driver, like its
// other views and all that Spark keeps for them. Another Connect server may have the same storage and know neither view
// nor table.
const (
	seenEvery = time.Hour
	seenKey   = "dl4go.seen" // a table's property
	seenView  = "seen"
	seenName  = "dl4go_seen" // the directory of the files
)

// staySeen keeps saying so until the engine is closed.
func (e *exports) staySeen() {
	defer e.jobs.Done()
	ticker := time.NewTicker(seenEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := e.live(e.base); err != nil && e.base.Err() == nil {
				e.options.Log.Warn("Spark could not be told that this run lives: dl4go clean may take what it has "+
					"there for a killed run's", "master", e.Master(), "error", err)
			}
		case <-e.base.Done():
			e.unsee()
			return
		}
	}
}

// unsee removes the view.
func (e *exports) unsee() {
	c := e.running()
	if c == nil {
		return
	}
	defer c.release()
	ctx, cancel := cleanup(context.Background())
	defer cancel()
	c.left("the view in which this run said that it lives", c.dropAll(ctx, []string{e.name + seenView}))
}

// live says once that this driver is alive.
func (e *exports) live(ctx context.Context) error {
	c, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	now := strconv.FormatInt(time.Now().Unix(), 10)
	view := "CREATE OR REPLACE GLOBAL TEMPORARY VIEW " + dotted(e.name+seenView) + " AS SELECT '" + now + "' AS seen"
	if err := c.exec(ctx, view); err != nil {
		return err
	}
	e.mu.Lock()
	saved := slices.Collect(maps.Values(e.saved))
	e.mu.Unlock()
	for _, s := range saved {
		properties := "ALTER TABLE " + s.table + " SET TBLPROPERTIES ('" + seenKey + "' = '" + now + "')"
		if err := c.exec(ctx, properties); err != nil && !gone(err) {
			return err
		}
	}
	for _, s := range saved {
		if err := s.live(ctx, c, now); err != nil {
			return err
		}
	}
	return nil
}

// live writes a file beside the rows. It waits for a slot, since resident workers may have all of them until the
// epoch's end. It adds files and replaces none: a query that lists the table's directory at that time would miss a
// replaced file.
func (s *saving) live(ctx context.Context, c *carrier, now string) error {
	s.seeing.Lock()
	defer s.seeing.Unlock()
	if s.over.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.over, cancel)()
	err := c.session.SaveFiles(ctx, connect.SQL("SELECT '"+now+"' AS value"), under(s.place, seenName), "text",
		connect.Append,
		connect.Run{Timeout: seenEvery})
	if err == nil {
		return nil
	}
	s.mu.Lock()
	s.broken = true
	s.mu.Unlock()
	if s.over.Err() != nil { // it is being removed
		return nil
	}
	return err
}

const (
	viewsOf   = "SHOW VIEWS IN global_temp LIKE 'dl4go_run_*'"
	viewPlace = "global_temp." // followed by the run's name
)

// views lists drivers' data in views.
func (c catalogue) views(ctx context.Context) (map[string]engine.Run, error) {
	names, err := c.texts(ctx, viewsOf)
	if err != nil {
		return nil, err
	}
	found := make(map[string]engine.Run)
	for _, row := range names {
		name, view, ok := cutRun(row[1])
		began, run := engine.RunTime(name)
		if !ok || !run {
			continue
		}
		r, known := found[name]
		if !known {
			r = engine.Run{Name: name, Place: viewPlace + name, Seen: began, Bytes: -1}
		}
		if view == seenView {
			seen, err := c.texts(ctx, "SELECT seen FROM global_temp."+dotted(row[1]))
			if err != nil && !gone(err) {
				return nil, err
			}
			for _, s := range seen {
				if at, err := strconv.ParseInt(s[0], 10, 64); err == nil {
					r.Seen = time.Unix(at, 0)
				}
			}
		}
		found[name] = r
	}
	return found, nil
}

// dropViews drops the views of a run, and the data that Spark keeps for them.
func (c catalogue) dropViews(ctx context.Context, run string) error {
	names, err := c.texts(ctx, viewsOf)
	for _, row := range names {
		if name, _, _ := cutRun(row[1]); name == run && err == nil {
			err = c.session.Unpersist(ctx, connect.Table("global_temp."+dotted(row[1])), false)
			if err == nil || gone(err) {
				err = c.session.DropGlobalView(ctx, row[1])
			}
		}
	}
	return err
}

// cutRun splits the name of a view into the run's name and the rest.
func cutRun(view string) (run, rest string, ok bool) {
	if i := strings.LastIndexByte(view, '_'); i > 0 {
		return view[:i], view[i+1:], true
	}
	return view, "", false
}
