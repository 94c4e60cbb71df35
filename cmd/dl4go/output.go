package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/progress"
)

// output is where a command says what it did: lines for people, or, with --json, one object a line.
type output struct {
	out, err io.Writer
	json     bool
	bar      *progress.Bar // changed by the command's own goroutine only; others get it from showing

	mu     sync.Mutex
	failed error // the first reason why lines are missing
}

func newOutput(cmd *cobra.Command, asJSON bool) *output {
	return &output{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), json: asJSON}
}

// line prints a line for people.
func (o *output) line(format string, args ...any) {
	if !o.json {
		o.bar.Clear()
		o.print(fmt.Sprintf(format, args...))
	}
}

// print writes a line. Work goes on where that fails; done tells.
func (o *output) print(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := io.WriteString(o.out, line+"\n"); err != nil && o.failed == nil {
		o.failed = err
	}
}

// event is one object of --json. Numbers that JSON does not have (NaN, infinities) are written as strings.
type event map[string]any

// emit prints an event, with --json only.
func (o *output) emit(name string, e event) {
	if !o.json {
		return
	}
	for k, v := range e {
		if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			e[k] = fmt.Sprint(x)
		}
	}
	e["event"] = name
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // all values are ours
	}
	o.print(string(b))
}

// done prints the last event. It fails where anything could not be printed.
func (o *output) done(e event) error {
	o.emit("done", e)
	return o.failed
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
