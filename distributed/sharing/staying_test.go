package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/threshold"
)

// TestStaying checks that workers that stay give, to the bit, the same network and figures as others that are started
// for each fit, and that they stay unless an option needs others.
func TestStaying(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config, *Options)
		leaves bool
	}{
		"as it is":           {func(*Config, *Options) {}, false},
		"sums":               {func(_ *Config, o *Options) { o.Release = SumRelease }, false},
		"masked momentum":    {func(_ *Config, o *Options) { o.MaskMomentum = true }, false},
		"with statistics":    {func(c *Config, _ *Options) { c.CollectTrainingStats = true }, false},
		"adaptive threshold": {func(c *Config, _ *Options) { c.ThresholdAlgorithm = threshold.Default() }, true},
	} {
		for _, on := range []string{"local[2]", "processes[2]"} {
			t.Run(name+" on "+on, func(t *testing.T) {
				conf, o := config(), Options{MinWorkers: 2}
				c.change(&conf, &o)
				want, figures, _ := fits(t, on, conf, o)
				o.Stay, o.anywhere = true, true
				got, same, stayed := fits(t, on, conf, o)
				if !slices.Equal(got, want) || !slices.Equal(same, figures) {
					t.Errorf("the parameters are the same: %v; the figures are %+v, without staying %+v",
						slices.Equal(got, want), same, figures)
				}
				if stayed == c.leaves {
					t.Errorf("the workers stay: %v", stayed)
				}
			})
		}
	}
}

// TestKeeps: workers stay with the kernels of any processor, and not with those of a device.
func TestKeeps(t *testing.T) {
	for kernels, want := range map[string]bool{"": true, "avx2": true, "avx512?precision=bf16": true,
		"amx?precision=bf16": true, "gpu": false, "gpu?host=avx2&precision=bf16": false, "xla-cpu": false} {
		m := master(t, config(), Options{Stay: true, anywhere: true, Kernels: kernels})
		if m.keeps() != want {
			t.Errorf("kernels %q: workers stay: %v", kernels, !want)
		}
	}
}

// TestStartsOver: a worker that was given up, and starts over in its process, counts what it drops. Its residual is not
// an unknown loss besides.
func TestStartsOver(t *testing.T) {
	r, worker := &run{}, coordination.Peer{Worker: 1, Incarnation: 1}
	for _, a := range []coordination.Action{coordination.Lost{Peer: worker}, coordination.Admitted{Replaces: true},
		coordination.Lost{Peer: worker}, coordination.Admitted{Replaces: true, Again: true}} {
		r.news(nil, a)
	}
	if r.tally.lost != 1 || r.tally.replaced != 2 {
		t.Errorf("%d residuals are lost, %d workers replaced", r.tally.lost, r.tally.replaced)
	}
}

// figures are those of a fit that do not depend on time.
type figures struct {
	Workers, Replaced, Updates, Examples int
	Messages, Released                   int64
	Losses                               Losses
}

// fits returns the parameters and the figures of three fits, and whether the workers of the first one stayed.
func fits(t *testing.T, on string, c Config, o Options) (params []float32, all []figures, stayed bool) {
	t.Helper()
	net, m := network(t, "mlp", 3), master(t, c, o)
	d := spread(t, open(t, on), 0)
	var last *run
	for i := range 3 {
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
		r := m.Last()
		all = append(all, figures{r.Workers, r.Replaced, r.Updates, r.Examples, r.Messages, r.Released, r.Losses})
		stayed = m.staying.of != nil && (i == 0 || stayed && m.staying.of == last)
		last = m.staying.of
	}
	if err := m.Close(); err != nil || m.staying.of != nil {
		t.Errorf("after Close, workers stay: %v (%v)", m.staying.of != nil, err)
	}
	return slices.Concat(net.Params(), net.UpdaterState()), all, stayed
}

// dying is the transport Secure with a worker that dies once, before it sends the update of a minibatch.
type dying struct {
	Secure           []byte
	Mark             string // the file of the worker that has died
	Epoch, Partition uint32
	Ordinal          uint32
}

// deaths configures the next job of dyingTransport.
var deaths dying

var dyingTransport = resident.RegisterTransport("sharing_test.dying", resident.Transport{
	Coordinator: func(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, nil, err
		}
		d := deaths
		t, settings, err := kind.Coordinator(job, o)
		if err != nil {
			return nil, nil, err
		}
		d.Secure = settings
		conf, err := json.Marshal(d)
		return t, conf, err
	},
	Worker: func(job coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
		var d dying
		if err := json.Unmarshal(conf, &d); err != nil {
			return nil, err
		}
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, err
		}
		t, err := kind.Worker(job, d.Secure, o)
		return dyingSide{t, d}, err
	},
})

type dyingSide struct {
	mesh.Transport
	dying
}

func (s dyingSide) Dial(ctx context.Context, to mesh.Role, address string) (mesh.Conn, error) {
	c, err := s.Transport.Dial(ctx, to, address)
	if err != nil {
		return nil, err
	}
	return dyingConn{c, s.dying}, nil
}

type dyingConn struct {
	mesh.Conn
	dying
}

func (c dyingConn) Send(m coordination.Message) error {
	u, ok := m.(*coordination.Update)
	if ok && u.Epoch == c.Epoch && u.Partition == c.Partition && u.Ordinal == c.Ordinal {
		if mark, err := os.OpenFile(c.Mark, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			mark.Close()
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				self.Kill()
			}
			select {}
		}
	}
	return c.Conn.Send(m)
}

// TestStayerDies checks that a worker that is lost in a later fit is replaced, and that each minibatch counts once.
func TestStayerDies(t *testing.T) {
	deaths = dying{Mark: t.TempDir() + "/dead", Epoch: 1, Partition: 1, Ordinal: 7}
	o := Options{MinWorkers: 2, Stay: true, anywhere: true, transport: dyingTransport}
	_, all, stayed := fits(t, "processes[2]", config(), o)
	for i, f := range all {
		dead := 0
		if i == 1 {
			dead = 1
		}
		if f.Workers != 2 || f.Replaced != dead || f.Updates != 94 || f.Examples != 1497 || f.Losses.Residuals != dead {
			t.Errorf("fit %d: %+v", i, f)
		}
	}
	if !stayed {
		t.Error("the workers did not stay")
	}
}

// TestStayersEnd checks that a fit whose context ends also ends workers that stayed after the fit before, and that the
// next fit starts others.
func TestStayersEnd(t *testing.T) {
	net, m := network(t, "mlp", 3), master(t, config(), Options{MinWorkers: 2, Stay: true, anywhere: true})
	d := spread(t, open(t, "local[2]"), 0)
	first, end := context.WithCancel(t.Context())
	if err := m.Fit(first, net, d, nil); err != nil {
		t.Fatal(err)
	}
	end() // the workers stay
	stopped := errors.New("the test stops it")
	ctx, stop := context.WithCancelCause(t.Context())
	err := m.Fit(ctx, net, d, func(distributed.Round) { stop(stopped) })
	if !errors.Is(err, stopped) || m.staying.of != nil || net.Epoch() != 1 {
		t.Errorf("%v after %d epochs, workers stay: %v", err, net.Epoch(), m.staying.of != nil)
	}
	if err := m.Fit(t.Context(), net, d, nil); err != nil || m.staying.of == nil {
		t.Errorf("%v, workers stay: %v", err, m.staying.of != nil)
	}
}
