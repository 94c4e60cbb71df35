//go:build spark

package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/resident"
	_ "github.com/dl4go/dl4go/internal/spark"
)

// marking configures the next job of markedTransport. Workers leave marks in Dir. The worker that sends the update of
// Kill kills itself or its executor.
var marking struct {
	Dir  string
	Kill struct {
		Partition, Epoch, Ordinal uint32
		Executor                  bool
	}
}

// markingVariable passes marking to a coordinator's process.
const markingVariable = "SHARING_TEST_MARKING"

// markedTransport is Secure, modified by marking.
var markedTransport = resident.RegisterTransport("sharing_test.marked", resident.Transport{
	Coordinator: func(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, nil, err
		}
		t, settings, err := kind.Coordinator(job, o)
		if err != nil {
			return nil, nil, err
		}
		if b := os.Getenv(markingVariable); b != "" {
			if err := json.Unmarshal([]byte(b), &marking); err != nil {
				return nil, nil, err
			}
		}
		conf, err := json.Marshal([]any{marking, settings})
		return t, conf, err
	},
	Worker: func(job coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
		var settings []byte
		if err := json.Unmarshal(conf, &[]any{&marking, &settings}); err != nil {
			return nil, err
		}
		if err := faulttest.Leave(marking.Dir); err != nil {
			return nil, err
		}
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, err
		}
		t, err := kind.Worker(job, settings, o)
		return killer{t}, err
	},
})

type killer struct{ mesh.Transport }

func (k killer) Dial(ctx context.Context, to mesh.Role, address string) (mesh.Conn, error) {
	c, err := k.Transport.Dial(ctx, to, address)
	return killerConn{c}, err
}

type killerConn struct{ mesh.Conn }

func (c killerConn) Send(m coordination.Message) error {
	u, ok := m.(*coordination.Update)
	k := marking.Kill
	if !ok || k.Epoch == 0 || u.Partition != k.Partition || u.Epoch != k.Epoch || u.Ordinal != k.Ordinal {
		return c.Conn.Send(m)
	}
	once, err := os.OpenFile(filepath.Join(marking.Dir, "..", "killed"), os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return c.Conn.Send(m)
	}
	once.Close()
	id := os.Getpid()
	if k.Executor {
		id = os.Getppid()
	}
	if p, err := os.FindProcess(id); err == nil {
		p.Kill()
	}
	select {}
}

// gaps measures for how long a lost worker was missing.
type gaps struct {
	slog.Handler
	mu      sync.Mutex
	lost    time.Time
	longest time.Duration
}

func (g *gaps) Enabled(context.Context, slog.Level) bool { return true }

func (g *gaps) Handle(ctx context.Context, r slog.Record) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case strings.Contains(r.Message, "a worker is lost"):
		g.lost = r.Time
	case strings.Contains(r.Message, "a worker is there again"):
		g.longest = max(g.longest, r.Time.Sub(g.lost))
	}
	if !g.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return g.Handler.Handle(ctx, r)
}

func (g *gaps) WithAttrs([]slog.Attr) slog.Handler { return g }
func (g *gaps) WithGroup(string) slog.Handler      { return g }

func onSpark(t *testing.T) engine.Engine {
	t.Helper()
	server := os.Getenv("DL4GO_SPARK")
	if server == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	return open(t, server)
}

// TestSparkGraphs tests graphs and truncated back-propagation with workers on Spark.
func TestSparkGraphs(t *testing.T) {
	graphLearns(t, os.Getenv("DL4GO_SPARK"))
	truncatedLearns(t, os.Getenv("DL4GO_SPARK"))
}

// TestSparkResidents checks that workers on Spark train like those of this machine: undisturbed, after a worker or its
// executor is killed, and with a coordinator in a process of its own.
func TestSparkResidents(t *testing.T) {
	e := onSpark(t)
	data := spread(t, e, 2)
	if err := resident.Probe(t.Context(), e, distributed.Residents{}, resident.TransportKind{},
		slog.Default()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                      string
		mode                      MeshBuildMode
		elsewhere, kill, executor bool
	}{
		{"plain", Plain, false, false, false}, {"mesh", Mesh, false, false, false},
		{"worker killed", Plain, false, true, false}, {"worker killed, coordinator elsewhere", Mesh, true, true, false},
		{"executor killed", Mesh, false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			marking.Dir = filepath.Join(dir, "marks")
			if err := os.Mkdir(marking.Dir, 0o777); err != nil {
				t.Fatal(err)
			}
			k := &marking.Kill
			k.Epoch, k.Executor = 0, c.executor
			killed := 0
			if c.kill {
				k.Partition, k.Epoch, k.Ordinal = 1, 2, 20
				killed = 1
			}
			conf := config()
			conf.VoidConfiguration.MeshBuildMode = c.mode
			seen := &gaps{Handler: slog.Default().Handler()}
			o := Options{MinWorkers: 2, transport: markedTransport, Log: slog.New(seen), Timing: steady()}
			o.Timing.Stall = 10 * time.Second
			if c.elsewhere {
				b, err := json.Marshal(marking)
				if err != nil {
					t.Fatal(err)
				}
				o.Coordinator = filepath.Join(dir, "keys")
				start(t, "coordinator", o.Coordinator, markingVariable+"="+string(b))
			}
			net := network(t, "mlp", 3)
			m := master(t, conf, o)
			if err := m.FitEpochs(t.Context(), net, data, 6, nil); err != nil {
				t.Fatal(err)
			}
			last := m.Last()
			if last.Updates != 6*94 || last.Examples != 6*1497 || last.Workers != 2 {
				t.Errorf("the fit was %+v", last)
			}
			if !c.kill && !slices.Equal(net.Params(), usual(t)) {
				t.Error("the parameters are others than with workers of this machine")
			}
			// If the executor is killed, Spark also repeats the other worker's task.
			if last.Replaced != killed && !(c.executor && last.Replaced == 2) {
				t.Errorf("%d workers were replaced, %d were killed", last.Replaced, killed)
			}
			if c.executor {
				faulttest.WantSlots(t, func(t *testing.T) engine.Engine {
					again, err := engine.Open(t.Context(), e.Master(), engine.Options{})
					if err != nil {
						t.Fatal(err)
					}
					return again
				}, e.Slots())
			}
			t.Logf("accuracy %.4f in %v; a worker was lost for %v", accuracy(t, net), last.Duration, seen.longest)
			if n := faulttest.WantLeftGone(t, marking.Dir); n < 2+killed {
				t.Errorf("%d workers left marks", n)
			}
		})
	}
}

// TestSparkResidentsCancelled checks that Ctrl-C leaves the parameters trained so far, and no worker.
func TestSparkResidentsCancelled(t *testing.T) {
	marking.Dir = t.TempDir()
	marking.Kill.Epoch = 0
	e := onSpark(t)
	net := network(t, "mlp", 3)
	m := master(t, config(), Options{MinWorkers: 2, transport: markedTransport})
	ctx, cancel := context.WithCancel(t.Context())
	err := m.FitEpochs(ctx, net, spread(t, e, 2), 1_000_000, func(distributed.Round) { cancel() })
	if !errors.Is(err, context.Canceled) || net.Iteration() == 0 {
		t.Errorf("the fit ended with %v, at iteration %d", err, net.Iteration())
	}
	faulttest.WantLeftGone(t, marking.Dir)
}

// TestSparkUnreachable checks that an address that workers can't reach is reported before training, with advice.
func TestSparkUnreachable(t *testing.T) {
	conf := config()
	conf.VoidConfiguration.ControllerAddress = "127.0.0.9:9"
	m := master(t, conf, Options{})
	e := onSpark(t)
	err := m.Fit(t.Context(), network(t, "mlp", 3), spread(t, e, 2), nil)
	var unreachable *resident.UnreachableError
	if !errors.As(err, &unreachable) || unreachable.Address != "127.0.0.9:9" || len(unreachable.Hosts) == 0 ||
		!strings.Contains(err.Error(), "--coordinator") {
		t.Errorf("the fit ended with %v", err)
	}
}

// TestSparkPhases checks that statistics have the same phases on Spark as here.
func TestSparkPhases(t *testing.T) {
	withPhases(t, os.Getenv("DL4GO_SPARK"), Options{})
}

// TestSparkStaying checks that workers on Spark stay for several fits, and give, to the bit, the network of workers
// that are started for each, and of workers of this machine.
func TestSparkStaying(t *testing.T) {
	on, o := os.Getenv("DL4GO_SPARK"), Options{MinWorkers: 2}
	want, _, _ := fits(t, on, config(), o)
	if here, _, _ := fits(t, "local[2]", config(), o); !slices.Equal(here, want) {
		t.Error("the parameters are others than with workers of this machine")
	}
	o.Stay = true
	if got, _, stayed := fits(t, on, config(), o); !stayed || !slices.Equal(got, want) {
		t.Errorf("the workers stay: %v; the parameters are the same: %v", stayed, slices.Equal(got, want))
	}
}
