package paramavg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(common.Run(m))
}

// common has the engines on clusters.
var common enginetest.Common

// impatient returns a timing with short waits for tests.
func impatient() distributed.Timing {
	t := distributed.DefaultTiming()
	t.Beat, t.Quiet = 50*time.Millisecond, 300*time.Millisecond
	t.Reconnect, t.Redial = 300*time.Millisecond, 20*time.Millisecond
	t.Join, t.Absence, t.Stall = 5*time.Minute, 5*time.Minute, 2*time.Second
	return t
}

// fitted returns the network after epochs on an engine.
func fitted(t *testing.T, master string, c Config, o Options, epochs, partitions int, hooks ...HookStep) []float32 {
	t.Helper()
	net := network(t, updater.NewAdam(), regularization.NewDropout(0.7))
	d, err := distributed.FromDataSets(open(t, master), single(examples(t, 103)), partitions)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tm.Close()
	for _, h := range hooks {
		tm.AddHook(h)
	}
	for range epochs {
		if err := tm.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := tm.FitIterations(t.Context(), net, d, 5, nil); err != nil {
		t.Fatal(err)
	}
	return append(slices.Clone(net.Params()), net.UpdaterState()...)
}

// TestResidentsAreJobs checks that rounds by residents give, to the bit, the same result as rounds by jobs.
func TestResidentsAreJobs(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"as it is":                func(*Config) {},
		"a tree":                  func(c *Config) { c.NumWorkers, c.AggregationDepth = 7, 3 },
		"one level":               func(c *Config) { c.NumWorkers, c.AggregationDepth = 5, 1 },
		"more workers than slots": func(c *Config) { c.NumWorkers = 8 },
		"partitions as they are":  func(c *Config) { c.Repartition = Never },
		"at random":               func(c *Config) { c.RepartitionStrategy = SparkDefault },
		"updater not averaged":    func(c *Config) { c.SaveUpdater = false },
		"exported, read ahead":    func(c *Config) { c.RDDTrainingApproach, c.PrefetchNumBatches = Export, 2 },
		"outer optimiser": func(c *Config) {
			c.NumWorkers, c.Outer = 7, DefaultOuter(OuterNesterov)
		},
		"outer optimiser, in place": func(c *Config) {
			c.Repartition, c.Outer = Never, Outer{Rule: OuterSGD, LearningRate: 0.5, Momentum: 0.5}
		},
		"with statistics": func(c *Config) { c.CollectTrainingStats = true },
	} {
		for _, master := range []string{"local[3]", "processes[3]"} {
			t.Run(name+" on "+master, func(t *testing.T) {
				c := config(4, 2)
				change(&c)
				want := fitted(t, "local[3]", c, Options{Rounds: Jobs}, 2, 5)
				if got := fitted(t, master, c, Options{Rounds: Resident}, 2, 5); !slices.Equal(got, want) {
					t.Error("the residents' parameters are others than the jobs'")
				}
			})
		}
	}
}

// narrow is an engine that reports more slots than it has.
type narrow struct {
	engine.Engine
	slots int
}

func (n narrow) Slots() int { return n.slots }

// TestFewerResidents checks an engine with fewer slots than it reports. After the time to join, the workers that came
// train alone, also in later fits. The network must be the same to the bit. No time passes while a worker works, so
// both come before the time to join is over.
func TestFewerResidents(t *testing.T) { synctest.Test(t, fewerResidents) }

func fewerResidents(t *testing.T) {
	train := func(e engine.Engine, o Options) ([]float32, *TrainingMaster) {
		t.Helper()
		net := network(t, updater.NewAdam(), regularization.NewDropout(0.7))
		d, err := distributed.FromDataSets(e, single(examples(t, 103)), 5)
		if err != nil {
			t.Fatal(err)
		}
		c := config(4, 2)
		c.NumWorkers = 3
		m, err := New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		for range 2 {
			if err := m.Fit(t.Context(), net, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		return append(slices.Clone(net.Params()), net.UpdaterState()...), m
	}
	want, _ := train(open(t, "local[3]"), Options{Rounds: Jobs})
	timing := impatient()
	timing.Join = time.Second
	got, m := train(narrow{open(t, "local[2]"), 3}, Options{Rounds: Resident, Timing: timing})
	if !slices.Equal(got, want) || m.came != 2 {
		t.Errorf("%d of 3 workers came; the parameters are those of all: %v", m.came, slices.Equal(got, want))
	}
}

// deadly ends its worker's process once, before or after a minibatch, or after the worker has sent its part of a round.
type deadly struct {
	Dir       string
	Iteration int // of the network, before the minibatch
	After     bool
}

func (d deadly) PreUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	return d.end(!d.After && net.Iteration() == d.Iteration)
}

func (d deadly) PostUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	return d.end(d.After && net.Iteration() == d.Iteration+1)
}

func (d deadly) end(now bool) error {
	if now && once(d.Dir, fmt.Sprint(d.Iteration, d.After)) {
		die()
	}
	return nil
}

// once returns true the first time it is called for a name.
func once(dir, name string) bool {
	mark, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		mark.Close()
	}
	return err == nil
}

func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {}
}

var deadlyHook = RegisterHook("paramavg.test.deadly", func(d deadly) (Hook, error) { return d, nil })

// ending is the transport Secure with workers that end before or after they send the Parts with these numbers.
type ending struct {
	Secure []byte
	Dir    string
	Parts  []int
	After  bool
}

// endings configures the next job of endingTransport.
var endings ending

var endingTransport = resident.RegisterTransport("paramavg_test.ending", resident.Transport{
	Coordinator: func(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, nil, err
		}
		e := endings
		t, settings, err := kind.Coordinator(job, o)
		if err != nil {
			return nil, nil, err
		}
		e.Secure = settings
		conf, err := json.Marshal(e)
		return t, conf, err
	},
	Worker: func(job coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
		var e ending
		if err := json.Unmarshal(conf, &e); err != nil {
			return nil, err
		}
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, err
		}
		t, err := kind.Worker(job, e.Secure, o)
		return endingSide{t, &e}, err
	},
})

type endingSide struct {
	mesh.Transport
	ending *ending
}

func (s endingSide) Dial(ctx context.Context, to mesh.Role, address string) (mesh.Conn, error) {
	c, err := s.Transport.Dial(ctx, to, address)
	if err != nil {
		return nil, err
	}
	return &endingConn{Conn: c, ending: s.ending}, nil
}

type endingConn struct {
	mesh.Conn
	ending *ending
}

func (c *endingConn) Send(m coordination.Message) error {
	p, ok := m.(*coordination.Part)
	if !ok || !slices.Contains(c.ending.Parts, int(p.Gather)) || !once(c.ending.Dir, fmt.Sprint(p.Gather)) {
		return c.Conn.Send(m)
	}
	if c.ending.After {
		c.Conn.Send(m)
	}
	die()
	return nil
}

// TestDeathsInRounds checks that a replacement repeats the dead worker's part, and that nothing else changes.
func TestDeathsInRounds(t *testing.T) {
	for i, network := range []distributed.Residents{{}, {Mesh: true}, {}} {
		for name, c := range map[string]struct {
			hooks   []deadly
			endings ending
		}{
			"before a minibatch":      {hooks: []deadly{{Iteration: 0}, {Iteration: 3}}},
			"after a minibatch":       {hooks: []deadly{{Iteration: 4, After: true}, {Iteration: 9, After: true}}},
			"before its part is sent": {endings: ending{Parts: []int{1, 3}}},
			"after its part is sent":  {endings: ending{Parts: []int{2, 3}, After: true}},
		} {
			t.Run(fmt.Sprintf("%s, mesh %v, outer %v", name, network.Mesh, i == 2), func(t *testing.T) {
				conf := config(4, 2)
				conf.NumWorkers, conf.AggregationDepth = 4, 2
				if i == 2 { // each worker has its own updater state
					conf.Outer = DefaultOuter(OuterNesterov)
				}
				withDeaths(t, "processes[4]", conf, Options{Network: network}, 1, c.hooks, c.endings)
			})
		}
	}
}

// withDeaths checks that residents whose workers die give, to the bit, the same result as jobs on goroutines.
func withDeaths(t *testing.T, master string, conf Config, o Options, epochs int, deaths []deadly, atParts ending) {
	t.Helper()
	want := fitted(t, fmt.Sprintf("local[%d]", conf.NumWorkers), conf, Options{Rounds: Jobs}, epochs, 5)
	dir := t.TempDir()
	endings = atParts
	endings.Dir = dir
	var hooks []HookStep
	for _, d := range deaths {
		d.Dir = dir
		h, err := deadlyHook.With(d)
		if err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, h)
	}
	o.Rounds, o.transport, o.Timing = Resident, endingTransport, impatient()
	got := fitted(t, master, conf, o, epochs, 5, hooks...)
	if !slices.Equal(got, want) {
		t.Error("the parameters are others than without a death")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(deaths)+len(atParts.Parts) {
		t.Errorf("%d deaths (%v)", len(left), err)
	}
}

// TestResidentsFail checks that the error is the worker's, and that the network is as after the last complete round.
func TestResidentsFail(t *testing.T) {
	m := examples(t, 40)
	for _, way := range []Way{Jobs, Resident} {
		net := network(t, updater.NewSgd(), nil)
		d, err := distributed.FromDataSets(open(t, "processes[2]"), single(m), 3)
		if err != nil {
			t.Fatal(err)
		}
		tm, err := New(config(4, 1), Options{Rounds: way})
		if err != nil {
			t.Fatal(err)
		}
		rounds := 0
		h, _ := failingHook.With(3)
		tm.AddHook(h)
		err = tm.Fit(t.Context(), net, d, func(distributed.Round) { rounds++ })
		var failed *engine.WorkerError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(),
			"training hook before the minibatch: the test says so") ||
			!strings.Contains(err.Error(), "minibatch 0 of the worker's share") {
			t.Errorf("%s: %v", way, err)
		}
		if rounds != 3 || net.Iteration() != 3 || net.Epoch() != 0 {
			t.Errorf("%s: %d rounds, iteration %d, epoch %d", way, rounds, net.Iteration(), net.Epoch())
		}
		tm.Close()
	}
}

type failing struct{ iteration int }

func (f failing) PreUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	if net.Iteration() == f.iteration {
		return engine.Permanent(errors.New("the test says so"))
	}
	return nil
}

func (failing) PostUpdate(*nn.Network, *data.MultiDataSet) error { return nil }

var failingHook = RegisterHook("paramavg.test.failing", func(at int) (Hook, error) { return failing{at}, nil })
