package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/elsewhere"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// checkStatsFile refuses a file whose extension is not a format of statistics.
func (c Config) checkStatsFile() error {
	if c.StatsFile == "" {
		return nil
	}
	if err := stats.CheckEnding(c.StatsFile); err != nil {
		return &ConfigError{Field: "StatsFile", Err: err}
	}
	return nil
}

// earlier reads the statistics of earlier parts of the run from the file. The file of another run is replaced, as it
// would have been by a new run. JSON has the time when its run began; for other formats only the time of writing is
// known.
func earlier(ctx context.Context, file string, began time.Time) (none stats.Run, err error) {
	if file == "" {
		return none, nil
	}
	in, err := storage.Open(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, &FileError{Field: "StatsFile", Err: err}
	}
	defer in.Close()
	if !strings.EqualFold(filepath.Ext(file), ".json") {
		written := in.ModTime()
		if written.Nanosecond() == 0 { // S3 has a resolution of a second
			began = began.Truncate(time.Second)
		}
		if written.Before(began) {
			return none, nil
		}
		return none, &ConfigError{Field: "StatsFile", named: true, Err: fmt.Errorf(
			"%s: it has an earlier part of the run, to which events can be added in .json only: name another file", file)}
	}
	r, err := stats.ReadJSON(in)
	if err != nil {
		return none, &FileError{Field: "StatsFile", named: true, Err: fmt.Errorf(
			"%s: the run that goes on adds its events to those that are there: %w; name another file", file, err)}
	}
	if !r.Began.Equal(began) {
		return none, nil
	}
	return r, nil
}

// collector returns the collector of the workers' figures; nil if they are not collected.
func (c *course) collector() *stats.Collector {
	if a, ok := c.trainer.(interface{ stats() *stats.Collector }); ok {
		return a.stats()
	}
	return nil
}

// statistics returns those of the whole run; false if there are none.
func (r *Run) statistics() ([]stats.Event, bool) {
	c := r.collector()
	if c == nil {
		return nil, false
	}
	r.learning.measured()
	return append(r.before[:len(r.before):len(r.before)], c.Events()...), true
}

// export writes statistics to the file, also for an interrupted run.
func (r *Run) export(events []stats.Event) error {
	if err := r.learning.account(events).Export(r.saving, r.conf.StatsFile); err != nil {
		return &FileError{Field: "StatsFile", Err: err}
	}
	return nil
}

// rescued writes statistics that their file could not take, as err says, in another place on this machine. The error
// then names the place.
func rescued(run stats.Run, file string, err error) error {
	if err == nil {
		return nil
	}
	path := elsewhere.Save(file, func(path string) error { return run.Export(context.Background(), path) })
	if path == "" {
		return err
	}
	return sayf("%w; the statistics are in %s instead", err, path)
}

// rest is the minimum time between two writes of statistics beside checkpoints, as a multiple of the time for one.
const rest = 100

// kept is the last write of statistics beside a checkpoint.
type kept struct {
	at   time.Time
	took time.Duration
	told bool // of an error
}

// write writes the statistics so far when a checkpoint is kept, so that a run that goes on from it has them even if
// this part is killed. Only JSON can be added to.
func (k *kept) write(r *Run) {
	if !strings.EqualFold(filepath.Ext(r.conf.StatsFile), ".json") || r.trainer == nil || r.at.Epochs >= r.passes() ||
		time.Since(k.at) < rest*k.took {
		return
	}
	begin := time.Now()
	events, ok := r.statistics()
	if !ok || r.learning.series.Empty() {
		return
	}
	if err := r.export(events); err != nil && !k.told {
		r.conf.Log.Warn("the statistics could not be written beside a checkpoint; training goes on", "error", err)
		k.told = true
	}
	k.at, k.took = time.Now(), time.Since(begin)
}

// keepStatistics writes the statistics so far when training failed or was interrupted, and adds their place to its
// error.
func (r *Run) keepStatistics(failed error) error {
	events, ok := r.statistics()
	if !ok || r.conf.StatsFile == "" {
		return failed
	}
	left := rescued(r.learning.account(events), r.conf.StatsFile, r.export(events))
	if left == nil {
		left = fmt.Errorf("the statistics until then are in %s", r.conf.StatsFile)
	}
	u := &UnfinishedError{Err: failed}
	if !errors.As(failed, &u) {
		u.Left = left
		return u
	}
	if u.Left != nil {
		left = sayf("%w; %w", u.Left, left)
	}
	u.Left = left
	return u
}

// writeStatistics sets the statistics of the result, and writes the file.
func (r *Run) writeStatistics(result *Result) error {
	events, ok := r.statistics()
	account := r.learning.account(nil)
	result.Series, result.Hints = account.Series, account.Hints()
	if !ok {
		return nil
	}
	result.Statistics = events
	if r.conf.StatsFile == "" {
		return nil
	}
	err := rescued(r.learning.account(events), r.conf.StatsFile, r.export(events))
	if err != nil && r.model.holds != "" {
		err = sayf("%w; %s holds the trained network", err, r.conf.Save)
	}
	return err
}
