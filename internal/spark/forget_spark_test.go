//go:build spark

package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

func openHere(t *testing.T, master string, o engine.Options) *Engine {
	t.Helper()
	e, err := Open(t.Context(), master, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// echo returns each row. If told so, it fails in the first attempt.
var echo = engine.Register("spark.echo", func(t *engine.Task, fails bool, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	if fails && t.Attempt == 1 {
		return errors.New("the first attempt")
	}
	return nil
})

// numbered returns n partitions with one row each.
func numbered(e engine.Engine, n int, size int) *engine.Dataset {
	parts := make([][]engine.Row, n)
	for p := range parts {
		parts[p] = []engine.Row{{Index: int64(p), Bytes: bytes.Repeat([]byte{byte(p)}, size)}}
	}
	return engine.Parallelize(e, parts)
}

// views lists the names of an engine's views in Spark.
func views(t *testing.T, e *Engine) (names []string) {
	t.Helper()
	c, err := e.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.release()
	rows, err := c.texts(t.Context(), "SHOW VIEWS IN global_temp LIKE '"+e.name+"*'")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		names = append(names, r[1])
	}
	return names
}

// TestSparkUnpersistWhileRead checks that a kept data set is dropped when the last job that reads it ends, and can be
// kept again. The same holds for the driver's rows, even if nothing asked to keep them.
func TestSparkUnpersistWhileRead(t *testing.T) {
	t.Parallel()
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	rows := numbered(e, 3, 10)
	for name, d := range map[string]*engine.Dataset{"kept": rows.Map(echo.With(false)).Persist(engine.MemoryOnly),
		"the driver's": rows} {
		got := 0
		if err := e.do(t.Context(), func(j *job) error {
			q, err := j.results(d, upTo(3))
			if err != nil {
				return err
			}
			table := e.kept[d]
			d.Unpersist()
			if table.persisted != nil {
				if err := j.session.CreateView(t.Context(), "again", *table.persisted); err != nil {
					return err
				}
				again := connect.Table("again")
				defer func() {
					j.leave()
					j.kept = nil
					if l, err := j.session.StorageLevel(t.Context(), again); err != nil || l.Memory || l.Disk {
						t.Errorf("%s: Spark still has %+v, error %v", name, l, err)
					}
				}()
				if l, err := j.session.StorageLevel(t.Context(), again); err != nil || !l.Memory {
					t.Errorf("%s: Spark has %+v, error %v", name, l, err)
				}
			}
			if n := len(views(t, e)); n == 0 {
				t.Errorf("%s: the views are gone", name)
			}
			ledger := worker.NewLedger(upTo(3), func(c engine.Commit, rows []engine.Row) error { got += len(rows); return nil })
			if err := j.read(q, ledger.Add); err != nil {
				return err
			}
			return ledger.End(io.EOF)
		}); err != nil || got != 3 {
			t.Errorf("%s: %d rows, error %v", name, got, err)
		}
		if n, err := d.Count(t.Context()); err != nil || n != 3 {
			t.Errorf("%s, once more: %d rows, error %v", name, n, err)
		}
	}
	rows.Persist(engine.None)
	if left := views(t, e); left != nil {
		t.Errorf("left: %v", left)
	}
	if len(e.all) != 0 || len(e.kept) != 0 || len(e.wanted) != 0 {
		t.Errorf("left: %v, %v, %v", e.all, e.kept, e.wanted)
	}
}

// TestSparkFailureAboveKept checks that a failure in a step after kept rows doesn't drop the rows. A job that waits for
// another job's table must heed its context.
func TestSparkFailureAboveKept(t *testing.T) {
	t.Parallel()
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	d := numbered(e, 2, 10).Map(echo.With(false)).Persist(engine.MemoryOnly)
	if _, err := d.Count(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := e.kept[d]
	if all, err := d.Map(echo.With(true)).CollectAll(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("%d rows, error %v", len(all), err)
	}
	if e.kept[d] != before {
		t.Error("a failure above the kept rows dropped them")
	}
	kept := d.Map(echo.With(true)).Persist(engine.MemoryOnly)
	if n, err := kept.Map(echo.With(false)).Count(t.Context()); err != nil || n != 2 {
		t.Errorf("%d rows, error %v", n, err)
	}
	if e.kept[d] != before {
		t.Error("a failure above the kept rows, in rows to be kept, dropped them")
	}
	before.busy <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Count(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that waits for another one's table: %v", err)
	}
	<-before.busy
}

// TestSparkCollectsInOrder checks that the driver gets partitions roughly in order, however Spark stores them.
func TestSparkCollectsInOrder(t *testing.T) {
	t.Parallel()
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	const n = 24
	a := engine.Assignment{Order: make([]int64, n), Ends: make([]int, n)}
	backwards := make([]int, n)
	for i := range n {
		a.Order[i], a.Ends[i], backwards[i] = int64(i), i+1, n-1-i
	}
	moved := numbered(e, n, 10).Exchange(a)
	kept := numbered(e, n, 10).Exchange(a).Persist(engine.MemoryOnly)
	for name, d := range map[string]*engine.Dataset{"moved": moved,
		"and mapped": moved.Map(echo.With(false)), "kept": kept,
		"kept and mapped": kept.Map(echo.With(false)),
		"mapped and kept": kept.Map(echo.With(false)).Persist(engine.MemoryOnly),
		"selected":        numbered(e, n, 10).Select(backwards...)} {
		early, delivered := 0, -1
		if err := e.do(t.Context(), func(j *job) error {
			j.ordered = true
			q, err := j.results(d, upTo(n))
			if err != nil {
				return err
			}
			return j.read(q, func(r worker.Record) error {
				if r.Kind == worker.Commit {
					if r.Partition < delivered {
						early++
					}
					delivered = r.Partition
				}
				return nil
			})
		}); err != nil || early > 0 {
			t.Errorf("%s: %d partitions come late, error %v", name, early, err)
		}
		all, err := d.CollectAll(t.Context())
		if err != nil || len(all) != n || !slices.IsSortedFunc(all,
			func(a, b engine.Row) int { return int(a.Bytes[0]) - int(b.Bytes[0]) }) != (name == "selected") {
			t.Errorf("%s: %v, error %v", name, all, err)
		}
	}
}

// TestSparkSilentServer checks that dropping tables doesn't delay a driver whose server no longer answers.
func TestSparkSilentServer(t *testing.T) {
	t.Parallel() // it waits most of the time
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		t.Fatal(err)
	}
	way := passage(t, net.JoinHostPort(a.Host, fmt.Sprint(a.Port)))
	e := openHere(t, "sc://"+way.Addr().String(), engine.Options{Log: slog.New(slog.DiscardHandler)})
	e.client.Retry.Longest = 100 * time.Millisecond // instead of 15 s
	if err := Renew(e); err != nil {
		t.Fatal(err)
	}
	var all []*engine.Dataset
	for range 4 {
		d := numbered(e, 2, 10)
		if _, err := d.Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	way.end()
	for _, d := range all[1:] {
		d.Unpersist()
	}
	if n := len(e.undropped); n != 3 {
		t.Errorf("%d tables are left to be dropped, wanted 3", n)
	}
	e.Close()
	// They disturb nothing. dl4go clean removes them.
	other := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	if err := other.RemoveRun(t.Context(), engine.Run{Name: e.name[:len(e.name)-1],
		Place: viewPlace + e.name[:len(e.name)-1]}); err != nil {
		t.Error(err)
	}
}

// way is a proxy to a server that a test can cut off.
type way struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func passage(t *testing.T, to string) *way {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &way{Listener: listener}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, in, out)
			w.mu.Unlock()
			go func() { io.Copy(out, in); out.Close() }()
			go func() { io.Copy(in, out); in.Close() }()
		}
	}()
	t.Cleanup(w.end)
	return w
}

func (w *way) end() {
	w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
}
