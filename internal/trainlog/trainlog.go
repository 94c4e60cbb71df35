// Package trainlog shows a training run on a console: its settings, its events and its results.
package trainlog

import (
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

type event = console.Event

// Log shows a run. Listen is its Config.Listen.
type Log struct {
	*console.Output
	// Run must be set before it trains.
	Run *train.Run
	// Model is the network as the user named it, Title its name for people. Trained reports that it has been trained
	// before.
	Model, Title string
	Trained      bool
	// Normalizer describes the normalization of features; empty if there is none.
	Normalizer string
	// Resumed is the directory that the user named; empty for a new run.
	Resumed string
	// Stopping and PretrainingStopping are the settings as the user gave them.
	Stopping, PretrainingStopping string

	// PhaseTable prints the table of phases even if Config.StatsFile gets them.
	PhaseTable bool
	// Profile is the file of the profile, as the user named it; "-" for its table alone.
	Profile string

	view       *view
	label      string    // of the epoch under way
	shown      time.Time // when the last progress event was
	frequency  int       // of averaging, as last shown
	pretrained []event   // autoencoders whose pretraining ended early
	began      bool      // training has begun, after any pretraining
}

func (l *Log) conf() train.Config { return l.Run.Config() }

func (l *Log) net() *nn.Network { return l.conf().Network.Base() }

func (l *Log) info() source.Info { return l.conf().Data.Info() }

// Interrupted shows the files that an interrupted run leaves.
func (l *Log) Interrupted(u *train.UnfinishedError) {
	if !l.began {
		return
	}
	e := event{"iteration": u.Iteration, "epoch": u.Epoch}
	for name, v := range map[string]string{"model": u.Model, "latest": u.Latest, "checkpoint": u.Checkpoint} {
		if v != "" {
			e[name] = v
		}
	}
	l.Emit("interrupted", e)
}

// Phases prints where the time went, below a table of how often and how long each phase of training ran, if table is
// true. It returns the total milliseconds of each phase.
func Phases(o *console.Output, events []stats.Event, table bool) map[string]float64 {
	const ms = float64(time.Millisecond)
	row := func(format string, args ...any) {
		if table {
			o.Line(format, args...)
		}
	}
	row("%-52s %5s %7s %6s %6s", "phase (milliseconds)", "times", "total", "mean", "most")
	all := map[string]float64{}
	for _, s := range stats.Summarize(events) {
		total := float64(s.Total) / ms
		row("%-52s %5d %7.0f %6.1f %6.1f", s.Phase, s.Count, total, total/float64(s.Count), float64(s.Max)/ms)
		all[string(s.Phase)] = total
	}
	if a := stats.AccountFor(events); len(a.Parts) > 0 {
		o.Line("%v", a)
	}
	return all
}
