package process

import (
	"bufio"
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/worker"
)

// relay copies a worker's log lines, and its other output, to the driver's log.
type relay struct {
	from *os.File
	log  *slog.Logger
	done chan struct{}

	mu   sync.Mutex
	what worker.Task // the running task, for lines without a known source
	tail []string    // the last lines that are not log lines; of a crash, the first ones
	dead bool        // tail has the first lines of a crash
}

const (
	tailLines = 20
	lineLimit = 16 << 10 // longer lines are cut
)

func newRelay(from *os.File, log *slog.Logger) *relay {
	r := &relay{from: from, log: log, done: make(chan struct{})}
	go r.run()
	return r
}

func (r *relay) run() {
	defer close(r.done)
	in := bufio.NewReaderSize(r.from, lineLimit)
	cut := false
	for {
		line, err := in.ReadSlice('\n')
		if !cut && len(line) > 0 {
			r.line(strings.TrimRight(string(line), "\r\n"))
		}
		cut = err == bufio.ErrBufferFull
		if err != nil && !cut {
			return
		}
	}
}

func (r *relay) line(line string) {
	if record, ok := worker.ParseLogLine(line); ok {
		r.record(record)
		return
	}
	if line == "" || isCause(line) {
		return
	}
	r.mu.Lock()
	t := r.what
	if !r.dead && worker.BeginsCrash(line) {
		r.tail, r.dead = nil, true
	}
	if r.tail = append(r.tail, line); len(r.tail) > tailLines {
		if r.dead {
			r.tail = r.tail[:tailLines]
		} else {
			r.tail = r.tail[1:]
		}
	}
	r.mu.Unlock()
	r.log.Info("a worker printed: "+line, "partition", t.Partition, "attempt", t.Attempt)
}

func (r *relay) record(record worker.LogRecord) {
	var attrs []any
	for _, key := range slices.Sorted(maps.Keys(record.Attrs)) {
		attrs = append(attrs, key, record.Attrs[key])
	}
	r.log.Log(context.Background(), record.Level, record.Message, attrs...)
}

func (r *relay) task(t worker.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.what, r.tail, r.dead = t, nil, false
}

func (r *relay) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.tail, "\n")
}

// end waits for the last lines of a process that has ended. A child of the process may hold its output open.
func (r *relay) end() {
	if !grace.Await(r.done, soon) {
		r.from.Close()
		<-r.done
	}
	r.from.Close()
}

func isCause(line string) bool {
	_, ok := worker.ParseCause(line)
	return ok
}
