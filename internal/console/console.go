// Package console shows what a command does: lines for people, or with --json one object per line, and its progress.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/progress"
)

// Output is the output of a command: lines for people, or, with JSON, one object per line.
type Output struct {
	out, err io.Writer
	json     bool
	results  io.Writer     // for results alone: standard output, if lines go elsewhere; nil if there are none
	bar      *progress.Bar // changed by the command's own goroutine only; others use showing

	alive atomic.Int64

	mu     sync.Mutex
	end    func() // ends refreshing the bar; nil if it is not refreshed
	failed error  // the first reason why lines are missing
}

// New writes to standard output and standard error as they are given.
func New(out, err io.Writer, asJSON bool) *Output { return &Output{out: out, err: err, json: asJSON} }

// JSON reports whether objects are written.
func (o *Output) JSON() bool { return o.json }

// Bar is the bar of the command's own goroutine; nil if nothing is shown.
func (o *Output) Bar() *progress.Bar { return o.bar }

// Pipe reserves standard output for results. Lines for people go to standard error, and only the last event is
// printed. A closed pipe becomes an error of Data, and does not end the program.
func (o *Output) Pipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	o.results = o.out
	if !o.json {
		o.out = o.err
	}
}

// Data writes results, which are whole lines.
func (o *Output) Data(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	var err error
	o.showing().Above(func() { _, err = o.results.Write(lines) })
	if err != nil {
		return &Error{err}
	}
	return nil
}

// Error says that standard output can't be written to.
type Error struct{ err error }

func (e *Error) Error() string { return "standard output: " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Line prints a line for people.
func (o *Output) Line(format string, args ...any) {
	if !o.json {
		o.print(func() error { _, err := fmt.Fprintf(o.out, format+"\n", args...); return err })
	}
}

// Lines prints lines for people.
func (o *Output) Lines(lines []string) {
	for _, line := range lines {
		o.Line("%s", line)
	}
}

// print runs write. If it fails, work goes on; Done reports the error.
func (o *Output) print(write func() error) {
	o.showing().Above(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if err := write(); err != nil && o.failed == nil {
			o.failed = err
		}
	})
}

// Event is one object of --json. Numbers that JSON does not have (NaN, infinities) are written as strings.
type Event = map[string]any

// Emit prints an event, with --json only.
func (o *Output) Emit(name string, e Event) {
	if !o.json || o.results != nil && name != "done" {
		return
	}
	for k, v := range e {
		if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			e[k] = fmt.Sprint(x)
		}
	}
	e["event"] = name
	o.print(func() error { return jsonline.Write(o.out, e) })
}

// Done prints the last event. It fails if anything could not be printed.
func (o *Output) Done(e Event) error {
	o.Emit("done", e)
	if o.failed != nil {
		return &Error{o.failed}
	}
	return nil
}

// Start begins to show progress: a view on standard error, or events with --json.
func (o *Output) Start(label string, total int64) {
	if o.json {
		o.show(progress.New(io.Discard, label, total, progress.Options{}))
		return
	}
	opts := progress.Options{}
	f, ok := terminal(o.err)
	if ok {
		opts.Color = os.Getenv("NO_COLOR") == ""
		opts.Size = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(f.Fd()))
			return columns, rows
		}
	}
	bar := progress.New(o.err, label, total, opts)
	o.show(bar)
	if ok {
		o.refresh(bar)
	}
}

// refreshEvery is the time between two drawings of a view if nothing is counted.
const refreshEvery = time.Second

// refresh keeps a view up to date until Stop.
func (o *Output) refresh(bar *progress.Bar) {
	end := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end = sync.OnceFunc(func() { close(end) })
	go func() {
		tick := time.NewTicker(refreshEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				bar.Refresh()
			case <-end:
				return
			}
		}
	}()
}

// terminal returns the writer's terminal, if lines can be redrawn on it.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// Columns returns the width of the terminal that lines go to; 0 if they go elsewhere, or if the width is not known.
func (o *Output) Columns() int {
	f, ok := terminal(o.out)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// show replaces the bar.
func (o *Output) show(b *progress.Bar) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end != nil {
		o.end()
		o.end = nil
	}
	o.bar.Clear()
	o.bar = b
}

// showing returns the current bar, or nil.
func (o *Output) showing() *progress.Bar {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bar
}

// Tasks shows the progress of the engine's jobs.
func (o *Output) Tasks(p engine.Progress) {
	if alive := p.Running + p.Done; alive > 0 {
		o.alive.Store(int64(alive))
	}
	if p.ToSend > 0 {
		if o.showing().Sent(p.Sent, p.ToSend) {
			o.Emit("progress", Event{"bytesSent": p.Sent, "bytesToSend": p.ToSend})
		}
		return
	}
	if o.showing().Tasks(p.Done, p.Tasks) {
		o.Emit("progress", Event{"tasks": p.Tasks, "tasksDone": p.Done, "tasksRunning": p.Running})
	}
}

// Alive returns how many tasks of the engine's last job run or are done.
func (o *Output) Alive() int { return int(o.alive.Load()) }

// Warn shows a warning.
func (o *Output) Warn(format string, args ...any) {
	o.showing().Above(func() { fmt.Fprintf(o.err, "dl4go: warning: "+format+"\n", args...) })
}

// Notices warns of what was changed in reading a file.
func (o *Output) Notices(file string, list []string) {
	for _, n := range list {
		o.Warn("%s: %s", file, OneLine(errors.New(n)))
	}
}

// Stop removes the bar.
func (o *Output) Stop() { o.show(nil) }

// Log shows warnings as lines on standard error.
func (o *Output) Log() *slog.Logger { return slog.New(warnings{Output: o}) }

// warnings shows log records, from the level of warnings on, as lines on standard error.
type warnings struct {
	*Output
	attrs []slog.Attr
}

func (w warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (w warnings) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	attr := func(a slog.Attr) bool {
		line += fmt.Sprintf(", %s: %v", a.Key, a.Value)
		return true
	}
	for _, a := range w.attrs {
		attr(a)
	}
	r.Attrs(attr)
	w.Warn("%s", strings.Join(strings.Fields(line), " "))
	return nil
}

func (w warnings) WithAttrs(a []slog.Attr) slog.Handler {
	return warnings{w.Output, append(w.attrs[:len(w.attrs):len(w.attrs)], a...)}
}

func (w warnings) WithGroup(string) slog.Handler { return w }

// Strong makes text bold on a terminal, unless NO_COLOR is set.
func (o *Output) Strong(s string) string {
	if _, ok := terminal(o.out); !ok || os.Getenv("NO_COLOR") != "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// OneLine returns an error's text as one line.
func OneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}
