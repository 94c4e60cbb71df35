package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// statsFlags say where training's statistics go, and by which clock they are.
type statsFlags struct {
	file   string
	time   stats.TimeSource
	before []stats.Event // of the run's earlier parts, as the file has them
}

func (f *statsFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "stats-file", "", "`FILE` write statistics: .html, .json or .csv")
	fs.StringVar(&f.time.Server, "time-server", "", "`HOST[:PORT]` correct workers' clocks by this NTP server")
	fs.DurationVar(&f.time.Frequency, "time-frequency", 0, "`TIME` how often to ask it (default 30m)")
}

// used: a flag other than --stats asks for statistics.
func (f *statsFlags) used() bool { return f.file != "" || f.time.Server != "" }

func (f *statsFlags) check(c *paramavg.Config, given func(string) bool) error {
	if given("stats") && !c.CollectTrainingStats && f.used() {
		return usagef("--stats=false contradicts --stats-file and --time-server")
	}
	c.CollectTrainingStats = c.CollectTrainingStats || f.used()
	if given("time-frequency") && f.time.Server == "" {
		return usagef("--time-frequency goes with --time-server")
	}
	if given("time-frequency") && f.time.Frequency < stats.LeastFrequency {
		return usagef("--time-frequency %v: it must be at least %v", f.time.Frequency, stats.LeastFrequency)
	}
	if err := f.time.Validate(); err != nil {
		return usagef("--time-server: %w", err)
	}
	if given("stats-file") {
		if err := stats.CheckEnding(f.file); err != nil {
			return usagef("--stats-file: %w", err)
		}
	}
	return nil
}

func (f *statsFlags) writable() error {
	if f.file == "" {
		return nil
	}
	if err := storage.CheckWritable(f.file); err != nil {
		return fmt.Errorf("--stats-file: %w", err)
	}
	return nil
}

// goesOn reads what earlier parts of the run, which began then, have left in the file. A file of another run makes way for this
// one's, as it would have for a new run: JSON says when its run began, other forms only when they were written.
func (f *statsFlags) goesOn(began time.Time) error {
	if f.file == "" {
		return nil
	}
	in, err := storage.Open(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--stats-file: %w", err)
	}
	defer in.Close()
	if !strings.EqualFold(filepath.Ext(f.file), ".json") {
		written := in.ModTime()
		if written.Nanosecond() == 0 { // S3 tells seconds
			began = began.Truncate(time.Second)
		}
		if written.Before(began) {
			return nil
		}
		return usagef("--stats-file %s: it has an earlier part of the run, to which events can be added in .json only: name another file", f.file)
	}
	r, err := stats.ReadJSON(in)
	if err != nil {
		return fmt.Errorf("--stats-file %s: the run that goes on adds its events to those that are there: %w; name another file", f.file, err)
	}
	if r.Began.Equal(began) {
		f.before = r.Events
	}
	return nil
}

// collector has the statistics; nil if there are none.
func (t *training) collector() *stats.Collector {
	a, ok := t.trainer.(interface{ stats() *stats.Collector })
	if !ok {
		return nil
	}
	return a.stats()
}

// events are those of the whole run.
func (f *statsFlags) events(c *stats.Collector) []stats.Event {
	return append(slices.Clone(f.before), c.Events()...)
}

// exportStats writes statistics into the file.
func (t *training) exportStats(events []stats.Event) error {
	r := stats.Run{Title: "Training of " + filepath.Base(t.save), Began: t.began(), Events: events}
	if err := r.Export(t.stats.file); err != nil {
		return fmt.Errorf("--stats-file: %w", err)
	}
	return nil
}

// saveStats writes what there is when training failed or was interrupted, and adds to its error where they are.
func (t *training) saveStats(failed error) error {
	c := t.collector()
	if c == nil || t.stats.file == "" {
		return failed
	}
	if err := t.exportStats(t.stats.events(c)); err != nil {
		return fmt.Errorf("%w; %v", failed, err)
	}
	return fmt.Errorf("%w; the statistics until then are in %s", failed, t.stats.file)
}

// collected prints and writes what was collected.
func (t *training) collected(events []stats.Event, e event) error {
	t.out.line("")
	e["stats"] = t.out.phases(events)
	file := t.stats.file
	if file == "" {
		return nil
	}
	if err := t.exportStats(events); err != nil {
		return err
	}
	e["statsFile"], e["events"] = file, len(events)
	t.out.line("wrote %s: %s", file, plural(len(events), "event"))
	return nil
}

// phases prints how often and how long each phase of training ran, and gives the milliseconds of each.
func (o *output) phases(events []stats.Event) map[string]float64 {
	const ms = float64(time.Millisecond)
	o.line("%-52s %5s %7s %6s %6s", "phase (milliseconds)", "times", "total", "mean", "most")
	all := map[string]float64{}
	for _, s := range stats.Summarize(events) {
		total := float64(s.Total) / ms
		o.line("%-52s %5d %7.0f %6.1f %6.1f", s.Phase, s.Count, total, total/float64(s.Count), float64(s.Max)/ms)
		all[string(s.Phase)] = total
	}
	if a := stats.AccountFor(events); len(a.Parts) > 0 {
		o.line("%v", a)
	}
	return all
}
