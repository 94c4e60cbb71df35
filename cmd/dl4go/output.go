package main

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
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/progress"
)

// output is where a command says what it did: lines for people, or, with --json, one object a line.
type output struct {
	out, err io.Writer
	json     bool
	results  io.Writer     // of results alone: standard output, where lines are not; nil if there are none
	bar      *progress.Bar // changed by the command's own goroutine only; others get it from showing

	mu     sync.Mutex
	failed error // the first reason why lines are missing
}

func newOutput(cmd *cobra.Command, asJSON bool) *output {
	return &output{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), json: asJSON}
}

// pipe keeps standard output for results: lines for people go to standard error, and of events only the last one is printed.
// It has a closed pipe be an error of data, not the end of the program.
func (o *output) pipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	o.results = o.out
	if !o.json {
		o.out = o.err
	}
}

// data writes results, which are whole lines.
func (o *output) data(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	o.bar.Clear()
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.results.Write(lines); err != nil {
		return &outputError{err}
	}
	return nil
}

// outputError says that standard output does not take what is written.
type outputError struct{ err error }

func (e *outputError) Error() string { return "standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// line prints a line for people.
func (o *output) line(format string, args ...any) {
	if !o.json {
		o.bar.Clear()
		o.print(func() error { _, err := fmt.Fprintf(o.out, format+"\n", args...); return err })
	}
}

// print has a line written. Work goes on where that fails; done tells.
func (o *output) print(write func() error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := write(); err != nil && o.failed == nil {
		o.failed = err
	}
}

// event is one object of --json. Numbers that JSON does not have (NaN, infinities) are written as strings.
type event = map[string]any

// emit prints an event, with --json only.
func (o *output) emit(name string, e event) {
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

// done prints the last event. It fails where anything could not be printed.
func (o *output) done(e event) error {
	o.emit("done", e)
	if o.failed != nil {
		return &outputError{o.failed}
	}
	return nil
}

// start begins to show progress: a bar on standard error, or with --json events.
func (o *output) start(label string, total int64) {
	if o.json {
		o.show(progress.New(io.Discard, label, total, progress.Options{}))
		return
	}
	opts := progress.Options{}
	if f, ok := o.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		opts.Terminal = true
		opts.Width, _, _ = term.GetSize(int(f.Fd()))
	}
	o.show(progress.New(o.err, label, total, opts))
}

func (o *output) show(b *progress.Bar) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bar = b
}

// showing is the bar of now, if there is one.
func (o *output) showing() *progress.Bar {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bar
}

// tasks shows how far the engine's jobs are.
func (o *output) tasks(p engine.Progress) {
	if p.ToSend > 0 {
		if o.showing().Sent(p.Sent, p.ToSend) {
			o.emit("progress", event{"bytesSent": p.Sent, "bytesToSend": p.ToSend})
		}
		return
	}
	if o.showing().Tasks(p.Done, p.Tasks) {
		o.emit("progress", event{"tasks": p.Tasks, "tasksDone": p.Done, "tasksRunning": p.Running})
	}
}

// warn says what is not as it may be thought to be.
func (o *output) warn(format string, args ...any) {
	fmt.Fprintf(o.err, "dl4go: warning: "+format+"\n", args...)
}

// notices says what of a file is not as it was.
func (o *output) notices(file string, list []string) {
	for _, n := range list {
		fmt.Fprintf(o.err, "dl4go: warning: %s: %s\n", file, oneLine(errors.New(n)))
	}
}

// stop removes the bar.
func (o *output) stop() {
	o.bar.Clear()
	o.show(nil)
}

// warnings shows what packages log, from warnings on, as lines on standard error.
type warnings struct {
	*output
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
	w.showing().Clear()
	_, err := fmt.Fprintln(w.err, "dl4go: warning:", strings.Join(strings.Fields(line), " "))
	return err
}

func (w warnings) WithAttrs(a []slog.Attr) slog.Handler {
	return warnings{w.output, append(w.attrs[:len(w.attrs):len(w.attrs)], a...)}
}

func (w warnings) WithGroup(string) slog.Handler { return w }

// strong makes text bold on a terminal, unless NO_COLOR is set.
func (o *output) strong(s string) string {
	f, ok := o.out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}
