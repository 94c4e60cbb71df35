//go:build spark

package spark_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/internal/worker"
)

// clock returns different rows each time it runs.
var clock = engine.Register("spark_test.clock", func(_ *engine.Task, _ struct{}, _ engine.Rows,
	out engine.Writer) error {
	return out.Write(engine.Unindexed(binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))))
})

// TestSparkRecomputedRows checks that a job fails if a partition is computed again with different rows, as may happen
// after Spark loses one.
func TestSparkRecomputedRows(t *testing.T) {
	t.Parallel()
	e := shared(t)
	d := engine.Parallelize(e, make([][]engine.Row, 2)).Map(clock.With(struct{}{})).Persist(engine.MemoryOnly)
	first, err := d.CollectAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, err := d.Map(pass.With(struct{}{})).CollectAll(t.Context())
		if err != nil || len(again) != 2 || !bytes.Equal(first[1].Bytes, again[1].Bytes) {
			t.Fatalf("kept rows: %v, error %v; first %v", again, err, first)
		}
	}
	if err := spark.Lose(e, d); err != nil {
		t.Fatal(err)
	}
	_, err = d.Map(pass.With(struct{}{})).CollectAll(t.Context())
	if err == nil || !strings.Contains(err.Error(), "computed again") {
		t.Errorf("other rows than before give the error %v", err)
	}
}

// askEvery is the interval at which workers of these tests check the heartbeat.
const askEvery = 10 * time.Millisecond

// wanted is closed in a worker that has seen that its job is wanted.
var wanted = make(chan struct{})

func init() {
	var once sync.Once
	worker.WatchHeartbeat(func(err error) {
		if err == nil {
			once.Do(func() { close(wanted) })
		}
	})
}

// slow runs until the worker has checked the heartbeat.
var slow = engine.Register("spark_test.slow", func(t *engine.Task, _ struct{}, _ engine.Rows, out engine.Writer) error {
	select {
	case <-wanted:
		return out.Write(engine.Unindexed([]byte{1}))
	case <-t.Context().Done():
		return context.Cause(t.Context())
	}
})

// TestSparkRecomputedLater checks that kept rows can be computed again, however long that takes, after the first job
// that computed them is over and its session has ended.
func TestSparkRecomputedLater(t *testing.T) {
	t.Parallel()
	ctx := await.Context(t)
	e := open(t)
	if err := spark.AskSoon(e, askEvery); err != nil {
		t.Fatal(err)
	}
	d := engine.Parallelize(e, make([][]engine.Row, 2)).Map(slow.With(struct{}{})).Persist(engine.MemoryOnly)
	if n, err := d.Count(ctx); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	for _, lose := range []func() error{
		func() error { return nil },
		func() error { return spark.Renew(e) },
	} {
		if err := errors.Join(lose(), spark.Lose(e, d)); err != nil {
			t.Fatal(err)
		}
		if all, err := d.Map(pass.With(struct{}{})).CollectAll(ctx); err != nil || len(all) != 2 {
			t.Errorf("%d rows, error %v", len(all), err)
		}
	}
}

// TestSparkRecomputedFromDropped checks that kept rows can also be computed again if they were made from other kept
// rows that were dropped since.
func TestSparkRecomputedFromDropped(t *testing.T) {
	t.Parallel()
	ctx := await.Context(t)
	e := open(t)
	if err := spark.AskSoon(e, askEvery); err != nil {
		t.Fatal(err)
	}
	below := engine.Parallelize(e, make([][]engine.Row, 2)).Map(slow.With(struct{}{})).Persist(engine.MemoryOnly)
	d := below.Map(pass.With(struct{}{})).Persist(engine.MemoryOnly)
	if n, err := d.Count(ctx); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	below.Unpersist()
	if err := spark.Lose(e, d); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Map(pass.With(struct{}{})).CollectAll(ctx); err != nil || len(all) != 2 {
		t.Errorf("%d rows, error %v", len(all), err)
	}
}

var pass = engine.Register("spark_test.pass", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
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

// talk logs a line and prints another, which must not appear among the rows.
var talk = engine.Register("spark_test.talk", func(t *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	t.Log.Info("a line of the worker's", "key", "a value\twith a tab")
	os.Stdout.WriteString("3\t1\t1\tr\t-1\tAAAA\n")
	for range engine.All(in) {
	}
	return out.Write(engine.Unindexed([]byte{byte(t.Partition)}))
})

// TestSparkLogLines checks that each task's line is in the driver's log once, even if other tasks read the task's rows.
func TestSparkLogLines(t *testing.T) {
	t.Parallel()
	var lines syncBuffer
	e, err := engine.Open(context.Background(), os.Getenv("DL4GO_SPARK"),
		engine.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := engine.Parallelize(e, make([][]engine.Row, 6)).Map(talk.With(struct{}{}))
	for name, job := range map[string]func() error{
		"collected": func() error { _, err := d.CollectAll(t.Context()); return err },
		"counted":   func() error { _, err := d.Count(t.Context()); return err },
		"reduced":   func() error { _, err := d.Reduce(t.Context(), first.With(struct{}{}), 1); return err },
	} {
		lines.Reset()
		if err := job(); err != nil {
			t.Fatal(err)
		}
		for p := range 6 {
			n := 0
			for line := range strings.Lines(lines.String()) {
				if strings.Contains(line, "a line of the worker's") &&
					strings.Contains(line, " partition="+string(rune('0'+p))+"\n") &&
					strings.Contains(line, "attempt=1") && strings.Contains(line, "host=") &&
					strings.Contains(line, `key="a value\twith a tab"`) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: %d lines of partition %d:\n%s", name, n, p, lines.String())
			}
		}
	}
}

var first = engine.Register("spark_test.first", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	row, err := in.Next()
	if err != nil {
		return err
	}
	return out.Write(row)
})

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *syncBuffer) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

// TestSparkPersistCopiesNoArtifacts checks a setting. By default, Spark clones the session with all artifacts to keep a
// relation. That fails if an artifact arrives meanwhile (CacheManager, ArtifactManager).
func TestSparkPersistCopiesNoArtifacts(t *testing.T) {
	files := sparkFiles(t)
	e := open(t)
	const size, n = 300_011, 5
	b, err := e.Broadcast(t.Context(), make([]byte, size))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	onServer := func() (copies int) {
		filepath.WalkDir(files, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.Contains(path, "/app-") || strings.HasSuffix(path, "_cache") {
				return nil
			}
			if info, err := entry.Info(); err == nil && info.Size() == size {
				copies++
			}
			return nil
		})
		return copies
	}
	before := onServer()
	var coming sync.WaitGroup
	done := make(chan struct{})
	coming.Go(func() {
		for range 300 { // fewer than would fill the session
			select {
			case <-done:
				return
			default:
			}
			b, err := e.Broadcast(t.Context(), []byte{1})
			if err != nil {
				t.Error(err)
				return
			}
			b.Release()
		}
	})
	for range n {
		d := engine.Parallelize(e, make([][]engine.Row, 2)).Map(clock.With(struct{}{})).Persist(engine.MemoryOnly)
		if _, err := d.CollectAll(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(done)
	coming.Wait()
	if after := onServer(); before == 0 || after != before {
		t.Errorf("the server has %d copies of a value, and %d after %d relations were persisted", before, after, n)
	}
}
