//go:build linux

package process_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/internal/process"
	"github.com/dl4go/dl4go/internal/worker"
)

// open starts an engine. Its workers may be silent, and take their time to end, for an hour unless the options say
// otherwise: no test depends on that.
func open(t *testing.T, slots int, o engine.Options, p process.Options) engine.Engine {
	t.Helper()
	if p.Silence == 0 {
		p.Silence = time.Hour
	}
	if o.StopGrace == 0 {
		o.StopGrace = time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	e, err := process.New(slots, o, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestConformance(t *testing.T) {
	for _, f := range []worker.Framing{worker.Binary, worker.Text} {
		t.Run(f.Protocol(), func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T, o engine.Options) engine.Engine {
				o.TempDir = t.TempDir()
				return open(t, 2, o, process.Options{Text: f == worker.Text})
			})
		})
	}
}

func TestOpen(t *testing.T) {
	e, err := engine.Open(context.Background(), "processes[2]", engine.Options{Threads: 3})
	if err != nil || e.Master() != "processes[2]" || e.Slots() != 2 || e.Threads() != 3 {
		t.Errorf("processes[2] opens %v, error %v", e, err)
	}
	e.Close()
	for _, master := range []string{"processes", "processes[0]", "processes[x]", "processes[2"} {
		if _, err := engine.Open(context.Background(), master, engine.Options{}); err == nil ||
			!strings.Contains(err.Error(), "processes[N]") {
			t.Errorf("%s: %v", master, err)
		}
	}
}

// join combines rows so that the result shows their order.
var join = engine.Register("process_test.join", func(t *engine.Task, conf pathConfig, in engine.Rows,
	out engine.Writer) error {
	var b []byte
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		b = fmt.Appendf(b, "%d,%08x;", len(row.Bytes), crc32.ChecksumIEEE(row.Bytes))
		if conf.Path != "" && t.Attempt < 4 && count(conf.Path) < conf.Kills {
			mark(conf.Path, "killed-*")
			kill()
		}
	}
	return out.Write(engine.Unindexed(b))
})

type pathConfig struct {
	Path  string // where each kill leaves a mark
	Kills int
}

// says prints and logs.
var says = engine.Register("process_test.says", func(t *engine.Task, _ struct{}, _ engine.Rows, _ engine.Writer) error {
	t.Log.Warn("from afar", "answer", 42)
	fmt.Println("a user's print")
	return nil
})

// waits leaves a mark of its process, and waits: if heedful until its context ends, otherwise forever.
var waits = engine.Register("process_test.waits", func(t *engine.Task, conf waitConfig, _ engine.Rows,
	_ engine.Writer) error {
	if err := faulttest.Leave(conf.Dir); err != nil {
		return err
	}
	if conf.Heedful {
		<-t.Context().Done()
		return context.Cause(t.Context())
	}
	select {}
})

type waitConfig struct {
	Dir     string
	Heedful bool
}

func mark(dir, pattern string) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		panic(err)
	}
	f.Close()
}

func count(dir string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	return len(entries)
}

// work is a data set of the given number of partitions, made by two operations in sequence.
func work(e engine.Engine, partitions int) *engine.Dataset {
	var parts [][]engine.Row
	for p := range partitions {
		var rows []engine.Row
		for i := range 5 + p%3 {
			rows = append(rows, engine.Row{Index: int64(i), Bytes: bytes.Repeat([]byte{byte(p), byte(i)}, 50)})
		}
		parts = append(parts, rows)
	}
	return engine.Parallelize(e, parts).Map(faulttest.Mix("first")).Index().Map(faulttest.Mix("second"))
}

// undisturbed returns the result of work on a local engine.
func undisturbed(t *testing.T, partitions int) (commits []engine.Commit, reduced []byte) {
	t.Helper()
	e := local.New(2, engine.Options{})
	defer e.Close()
	commits, err := work(e, partitions).Commits(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	reduced, err = work(e, partitions).Reduce(context.Background(), join.With(pathConfig{}), 2)
	if err != nil {
		t.Fatal(err)
	}
	return commits, reduced
}

func expect(t *testing.T, e engine.Engine, want []engine.Commit) {
	t.Helper()
	got, err := work(e, len(want)).Commits(context.Background())
	if err != nil || !slices.EqualFunc(got, want, engine.Commit.Same) {
		t.Errorf("the commits are %v, wanted %v; error %v", got, want, err)
	}
}

// log is a log that can be read while it is written.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestLogReachesTheDriver(t *testing.T) {
	var lines log
	e := open(t, 1, engine.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))}, process.Options{})
	if _, err := engine.Parallelize(e, make([][]engine.Row,
		2)).Map(says.With(struct{}{})).Count(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=WARN msg=\"from afar\" pid=", " answer=42 attempt=1 partition=1\n",
		"a worker printed: a user's print\" pid="} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("the log lacks %q: %s", want, lines.String())
		}
	}
}

func TestBroadcastFiles(t *testing.T) {
	temp := t.TempDir()
	e := open(t, 1, engine.Options{TempDir: temp}, process.Options{})
	first, err := e.Broadcast(context.Background(), []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Broadcast(context.Background(), []byte("another")); err != nil {
		t.Fatal(err)
	}
	files := func() []string {
		found, err := filepath.Glob(filepath.Join(temp, "dl4go_run_*", "b*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := files(); len(found) != 2 {
		t.Fatalf("two values are in the files %v", found)
	} else if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v, error %v", found[0], info.Mode(), err)
	}
	first.Release()
	if found := files(); len(found) != 1 {
		t.Errorf("after the release there are %v", found)
	}
	if err := e.Close(); err != nil || count(temp) != 0 {
		t.Errorf("after Close there are %d files, error %v", count(temp), err)
	}
}

// TestDeafTasks: a task that ignores its context is killed, at its deadline and when it is cancelled.
func TestDeafTasks(t *testing.T) {
	dir := t.TempDir()
	e := open(t, 2, engine.Options{TaskDeadline: 300 * time.Millisecond, StopGrace: 500 * time.Millisecond},
		process.Options{})
	_, err := engine.Parallelize(e, make([][]engine.Row,
		1)).Map(waits.With(waitConfig{Dir: dir})).Count(context.Background())
	// If a process takes longer than that to start, fewer of them wait, and the first may end too late.
	if err == nil || !strings.Contains(err.Error(), "longer than 300ms") &&
		!strings.Contains(err.Error(), "no result after 300ms") {
		t.Errorf("a task that does not end fails with %v", err)
	}
	if n := faulttest.WantLeftGone(t, dir); n > 4 {
		t.Errorf("%d workers waited in 4 attempts", n)
	}
	e.Close()
	e = open(t, 2, engine.Options{StopGrace: 50 * time.Millisecond}, process.Options{})
	for _, heedful := range []bool{true, false} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			started(t, dir, 2)
			cancel()
		}()
		_, err = engine.Parallelize(e, make([][]engine.Row, 2)).Map(waits.With(waitConfig{dir, heedful})).Count(ctx)
		if err == nil || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("a job that is cancelled gives %v", err)
		}
		wantGone(t, dir, 2)
	}
	want, _ := undisturbed(t, 3)
	expect(t, e, want)
}

// copies returns its rows unchanged, or none.
var copies = engine.Register("process_test.copies", func(_ *engine.Task, conf copyConfig, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err == nil && conf.Out {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
})

type copyConfig struct{ Out bool }

// BenchmarkStream measures bytes to a worker and, if they are returned, back.
func BenchmarkStream(b *testing.B) {
	rows := make([]engine.Row, 20000)
	for i := range rows {
		rows[i] = engine.Row{Index: int64(i), Bytes: bytes.Repeat([]byte{byte(i), 1, 2, 3}, 788)}
	}
	for _, f := range []worker.Framing{worker.Binary, worker.Text} {
		for _, back := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/back=%v", f.Protocol(), back), func(b *testing.B) {
				e, err := process.New(1, engine.Options{}, process.Options{Text: f == worker.Text})
				if err != nil {
					b.Fatal(err)
				}
				defer e.Close()
				d := engine.Parallelize(e, [][]engine.Row{rows}).Map(copies.With(copyConfig{back}))
				b.SetBytes(int64(len(rows) * 3152))
				for b.Loop() {
					if _, err := d.Count(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkTask measures the cost of an empty task.
func BenchmarkTask(b *testing.B) {
	e, err := process.New(1, engine.Options{}, process.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	d := engine.Parallelize(e, make([][]engine.Row, 1)).Map(copies.With(copyConfig{}))
	for b.Loop() {
		if _, err := d.Count(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
