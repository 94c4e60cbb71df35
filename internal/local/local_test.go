package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
	_ "github.com/dl4go/dl4go/internal/local"
)

func open(t *testing.T, master string, o engine.Options) engine.Engine {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	e, err := engine.Open(context.Background(), master, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	for _, master := range []string{"local[2]", "local[5]"} {
		t.Run(master, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T, o engine.Options) engine.Engine {
				o.TempDir = t.TempDir()
				return open(t, master, o)
			})
		})
	}
}

// closing counts the calls of Close.
type closing struct{ times *atomic.Int32 }

func (c closing) Close() error { c.times.Add(1); return nil }

type sharedConfig struct {
	ID   engine.BroadcastID
	Stay bool // until the broadcast is released
}

var (
	sharedBuilt, sharedClosed  atomic.Int32
	sharedEntered, sharedEnded chan struct{}

	useShared = engine.Register("local_test.useShared", func(t *engine.Task, c sharedConfig, _ engine.Rows,
		out engine.Writer) error {
		_, err := engine.Shared(t, c.ID, "closing", func([]byte) (closing, error) {
			sharedBuilt.Add(1)
			return closing{&sharedClosed}, nil
		})
		if err == nil && c.Stay {
			close(sharedEntered)
			<-sharedEnded
		}
		return err
	})
)

// TestSharedOnce checks that all slots share one value. It is closed when the last task that may use it has ended.
func TestSharedOnce(t *testing.T) {
	sharedBuilt.Store(0)
	sharedClosed.Store(0)
	sharedEntered, sharedEnded = make(chan struct{}), make(chan struct{})
	e := open(t, "local[4]", engine.Options{Attempts: 1})
	defer e.Close()
	b, err := e.Broadcast(t.Context(), []byte("v"))
	if err != nil {
		t.Fatal(err)
	}
	many := engine.Parallelize(e, make([][]engine.Row, 8)).Map(useShared.With(sharedConfig{b.ID(), false}))
	if _, err := many.CollectAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	job := make(chan error)
	go func() {
		_, err := engine.Parallelize(e, make([][]engine.Row, 1)).Map(useShared.With(sharedConfig{b.ID(),
			true})).CollectAll(t.Context())
		job <- err
	}()
	<-sharedEntered
	b.Release()
	if n := sharedClosed.Load(); n != 0 {
		t.Errorf("closed %d times while a task used it", n)
	}
	close(sharedEnded)
	if err := <-job; err != nil {
		t.Error(err)
	}
	if built, closed := sharedBuilt.Load(), sharedClosed.Load(); built != 1 || closed != 1 {
		t.Errorf("built %d times, closed %d times", built, closed)
	}
}

type pathConfig struct{ Path string }

var (
	touch = engine.Register("local_test.touch", func(_ *engine.Task, c pathConfig, in engine.Rows,
		out engine.Writer) error {
		f, err := os.CreateTemp(c.Path, "touched-")
		if err != nil {
			return err
		}
		f.Close()
		for row, err := range engine.All(in) {
			if err == nil {
				err = out.Write(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	leave = engine.Register("local_test.leave", func(*engine.Task, struct{}, engine.Rows,
		engine.Writer) error {
		runtime.Goexit()
		return nil
	})
	heedful = engine.Register("local_test.heedful", func(t *engine.Task, _ struct{}, _ engine.Rows,
		_ engine.Writer) error {
		<-t.Context().Done()
		return context.Cause(t.Context())
	})
	deafEnded = make(chan struct{}, 1)
	// deaf computes until a file exists, and ignores its context.
	deaf = engine.Register("local_test.deaf", func(_ *engine.Task, c pathConfig, _ engine.Rows, _ engine.Writer) error {
		defer func() { deafEnded <- struct{}{} }()
		for {
			if _, err := os.Stat(c.Path); err == nil {
				return nil
			}
			runtime.Gosched()
		}
	})
)

func kilobytes(e engine.Engine, partitions int) *engine.Dataset {
	var parts [][]engine.Row
	for p := range partitions {
		parts = append(parts, []engine.Row{{Index: int64(p), Bytes: bytes.Repeat([]byte{byte(p)}, 1024)}})
	}
	return engine.Parallelize(e, parts)
}

func count(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestStorageMemory checks that rows that don't fit in memory are computed again or written to disk, depending on the
// level.
func TestStorageMemory(t *testing.T) {
	ctx := context.Background()
	for level, want := range map[engine.StorageLevel]struct{ computed, spilled int }{
		engine.MemoryOnly: {4 + 2, 0}, engine.MemoryOnlySer: {4 + 2, 0},
		engine.MemoryAndDisk: {4, 2}, engine.MemoryAndDiskSer: {4, 2}, engine.DiskOnly: {4, 4},
	} {
		temp, touched := t.TempDir(), t.TempDir()
		e := open(t, "local[2]", engine.Options{StorageMemory: 2500, TempDir: temp})
		d := kilobytes(e, 4).Map(touch.With(pathConfig{touched})).Persist(level)
		for range 2 {
			rows, err := d.CollectAll(ctx)
			if err != nil || len(rows) != 4 || rows[3].Bytes[0] != 3 {
				t.Fatalf("%s: %d rows, error %v", level, len(rows), err)
			}
		}
		if n := count(t, touched); n != want.computed {
			t.Errorf("%s: 4 partitions were computed %d times, wanted %d", level, n, want.computed)
		}
		spilled := func() int {
			files, err := filepath.Glob(filepath.Join(temp, "dl4go_run_*", "partition-*"))
			if err != nil {
				t.Fatal(err)
			}
			return len(files)
		}
		if n := spilled(); n != want.spilled {
			t.Errorf("%s: %d partitions are on disk, wanted %d", level, n, want.spilled)
		}
		// An exchange has to be kept. It goes to disk, whatever its level is.
		x := kilobytes(e, 4).Map(touch.With(pathConfig{touched})).
			Exchange(engine.Assignment{Order: []int64{3, 2, 1, 0}, Ends: []int{4}}).Persist(level)
		if rows, err := x.CollectAll(ctx); err != nil || len(rows) != 4 || rows[0].Bytes[9] != 3 || rows[3].Bytes[9] != 0 {
			t.Errorf("%s: exchanged: %v", level, err)
		}
		x.Unpersist()
		d.Unpersist()
		if n := spilled(); n != 0 {
			t.Errorf("%s: after Unpersist, %d partitions are on disk", level, n)
		}
		d.Persist(level)
		if _, err := d.Count(ctx); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil || count(t, temp) != 0 {
			t.Errorf("%s: after Close, the temporary directory has %d entries, error %v", level, count(t, temp), err)
		}
	}
}

func TestDamagedSpill(t *testing.T) {
	temp := t.TempDir()
	e := open(t, "local[2]", engine.Options{TempDir: temp})
	defer e.Close()
	d := kilobytes(e, 1).Persist(engine.DiskOnly)
	if _, err := d.Count(context.Background()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(temp, "dl4go_run_*", "partition-*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], bytes.Repeat([]byte{1}, 1024), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Count(context.Background()); err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("a spilled partition that was damaged gives the error %v", err)
	}
}

func wantCause(t *testing.T, err error, texts ...string) {
	t.Helper()
	var w *engine.WorkerError
	if !errors.As(err, &w) {
		t.Fatalf("the error is %v, wanted a WorkerError", err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v, which lacks %q", err, text)
		}
	}
}

func TestDeadline(t *testing.T) {
	e := open(t, "local[2]", engine.Options{TaskDeadline: time.Millisecond, StopGrace: time.Minute})
	defer e.Close()
	_, err := kilobytes(e, 1).Map(heedful.With(struct{}{})).Count(context.Background())
	wantCause(t, err, "partition 0, attempt 4", "local_test.heedful", "longer than 1ms")
}

func TestTaskThatHeedsNoDeadline(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "stop")
	e := open(t, "local[1]", engine.Options{TaskDeadline: time.Millisecond, StopGrace: time.Millisecond})
	_, err := kilobytes(e, 1).Map(deaf.With(pathConfig{stop})).Count(context.Background())
	wantCause(t, err, "partition 0", "slot 0 of local[1]", "no result")
	_, err = kilobytes(e, 1).Count(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no slot of local[1] became free") ||
		!strings.Contains(err.Error(), "partition 0") {
		t.Errorf("a job that gets no slot fails with %v", err)
	}
	if err := e.Close(); err == nil || !strings.Contains(err.Error(), "partition 0") {
		t.Errorf("closing an engine with a task that does not end: %v", err)
	}
	if err := os.WriteFile(stop, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	<-deafEnded // before the file is removed
}

// TestFreeSlotIsTaken: a job takes a free slot even if its patience ended before it looked for one.
func TestFreeSlotIsTaken(t *testing.T) {
	e := open(t, "local[1]", engine.Options{TaskDeadline: 1, StopGrace: 1})
	defer e.Close()
	dir := t.TempDir()
	for range 20 {
		task := touch.With(pathConfig{dir}).Resident() // it has no deadline
		if n, err := kilobytes(e, 1).Map(task).Count(context.Background()); n != 1 || err != nil {
			t.Errorf("%d rows, error %v", n, err)
		}
	}
}

func TestOperationThatEndsItsGoroutine(t *testing.T) {
	e := open(t, "local[2]", engine.Options{})
	defer e.Close()
	_, err := kilobytes(e, 2).Map(leave.With(struct{}{})).Count(context.Background())
	wantCause(t, err, "ended its goroutine")
	if n, err := kilobytes(e, 5).Count(context.Background()); n != 5 || err != nil {
		t.Errorf("afterwards: %d rows, error %v", n, err)
	}
}

func TestPanicIsLoggedWithItsStack(t *testing.T) {
	var log bytes.Buffer
	e := open(t, "local[1]", engine.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Attempts: 1})
	defer e.Close()
	_, err := kilobytes(e, 1).Map(panics.With(struct{}{})).Count(context.Background())
	wantCause(t, err, "partition 0, attempt 1", "panic: out of the blue")
	if text := log.String(); !strings.Contains(text, "stack=") || !strings.Contains(text, "local_test.go") {
		t.Errorf("the log is %s", text)
	}
}

var panics = engine.Register("local_test.panics", func(*engine.Task, struct{}, engine.Rows,
	engine.Writer) error {
	panic("out of the blue")
})

// closer writes a file when it is closed.
type closer struct{ path string }

func (c closer) Close() error { return os.WriteFile(c.path, nil, 0o666) }

type waitConfig struct {
	Value engine.BroadcastID
	Dir   string
}

// waits builds a closer and continues when the file "go" exists.
var waits = engine.Register("local_test.waits", func(t *engine.Task, c waitConfig, _ engine.Rows,
	_ engine.Writer) error {
	_, err := engine.Cached(t, c.Value, "closer",
		func([]byte) (closer, error) { return closer{filepath.Join(c.Dir, "closed")}, nil })
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Dir, "built"), nil, 0o666)
	}
	for err == nil && !exists(filepath.Join(c.Dir, "go")) {
		runtime.Gosched()
		err = t.Context().Err()
	}
	return err
})

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestReleaseClosesWhatWasBuilt releases a broadcast while a task uses the value built from it, and after the task has
// ended.
func TestReleaseClosesWhatWasBuilt(t *testing.T) {
	for _, during := range []bool{true, false} {
		e := open(t, "local[1]", engine.Options{})
		b, err := e.Broadcast(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		result := make(chan error)
		go func() {
			_, err := kilobytes(e, 1).Map(waits.With(waitConfig{b.ID(), dir})).Count(context.Background())
			result <- err
		}()
		for !exists(file("built")) {
			runtime.Gosched()
		}
		if during {
			b.Release()
		}
		if exists(file("closed")) {
			t.Error("what a task uses is closed")
		}
		if err := os.WriteFile(file("go"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := <-result; err != nil {
			t.Error(err)
		}
		if !during {
			b.Release()
		}
		if !exists(file("closed")) {
			t.Errorf("released during the task: %v. What it built is not closed", during)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ahead leaves a mark in each partition except the first. The first waits for three marks, lets others run, and returns
// the number of marks.
var ahead = engine.Register("local_test.ahead", func(t *engine.Task, c pathConfig, _ engine.Rows,
	out engine.Writer) error {
	if t.Partition > 0 {
		return os.WriteFile(filepath.Join(c.Path, fmt.Sprint(t.Partition)), nil, 0o666)
	}
	for marks, patience := 0, 1000; patience > 0; runtime.Gosched() {
		if t.Context().Err() != nil {
			return t.Context().Err()
		}
		entries, err := os.ReadDir(c.Path)
		if err != nil {
			return err
		}
		if marks = len(entries); marks >= 3 {
			patience--
		}
		if patience == 0 {
			return out.Write(engine.Unindexed([]byte{byte(min(marks, 255))}))
		}
	}
	return nil
})

// TestLittleIsComputedAhead checks that a job holds only a few partitions in memory.
func TestLittleIsComputedAhead(t *testing.T) {
	e := open(t, "local[2]", engine.Options{})
	defer e.Close()
	rows, err := kilobytes(e, 100).Map(ahead.With(pathConfig{t.TempDir()})).CollectAll(context.Background())
	if err != nil || len(rows) != 1 || rows[0].Bytes[0] != 3 {
		t.Errorf("while the first partition was computed, %v others were, wanted 3; error %v", rows, err)
	}
}
