package resident

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// UnreachableError says that workers can't reach a coordinator.
type UnreachableError struct {
	Address   string   // of the coordinator
	Elsewhere bool     // it is in another process
	Hosts     []string // of the workers
	Err       error    // of one of the workers
}

// Problem is the error without the advice.
func (e *UnreachableError) Problem() string {
	who := "this process at " + e.Address
	if e.Elsewhere {
		who = "dl4go coordinator at " + e.Address
	}
	return fmt.Sprintf("the workers on %s can't reach %s: %v", strings.Join(e.Hosts, ", "), who, e.Err)
}

// Advice says what to do about it on the command line.
func (e *UnreachableError) Advice() string {
	if e.Elsewhere {
		return "give dl4go coordinator by --address the address by which executors reach it, and open its port"
	}
	return "run dl4go coordinator beside the cluster, where this machine and the executors reach it, and name its file " +
		"by --coordinator; " +
		"or, where executors do reach this machine, say by which address (--controller-address or --network-mask, and " +
		"--unicast-port " +
		"where a firewall leaves one port open)"
}

func (e *UnreachableError) Error() string { return e.Problem() + "; " + e.Advice() }

func (e *UnreachableError) Unwrap() error { return e.Err }

// probeTime bounds a probe. Most of it is waiting for slots, if they are taken.
const probeTime = 2 * time.Minute

// Probe checks that workers of a cluster, as many as there are slots, can reach a coordinator at the place that Start
// would use. They use certificates of their own, so another process that listens there does not count. The check takes
// a small job. It fails with an *UnreachableError if workers can't reach the coordinator. On this machine there is
// nothing to check. Probe remembers the answer for the engine.
func Probe(ctx context.Context, e engine.Engine, n distributed.Residents, k TransportKind, log *slog.Logger) error {
	if !strings.Contains(e.Master(), "://") {
		return nil
	}
	key := probed{e, n, k}
	if err, known := probes.find(key); known {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeTime,
		fmt.Errorf("no answer from the workers in %v: are all slots taken?", probeTime))
	defer cancel()
	err := probe(ctx, e, n, k, log)
	if ctx.Err() != nil {
		return fmt.Errorf("looking whether workers reach the coordinator: %w", context.Cause(ctx))
	}
	if unreachable := (*UnreachableError)(nil); err == nil || errors.As(err, &unreachable) {
		probes.add(key, err)
	}
	return err
}

func probe(ctx context.Context, e engine.Engine, n distributed.Residents, k TransportKind, log *slog.Logger) error {
	conf := coordination.Config{Term: 1, Partitions: 1, Timing: coordination.DefaultTiming()}
	p := Plan{Engine: e, Transport: k, Network: n, MaxMessage: 1 << 20, Config: conf, Reference: NoReference{}, Log: log}
	var id coordination.JobID
	rand.Read(id[:])
	seat, err := p.sit(ctx, id, func(coordination.Action) {})
	if err != nil {
		return err
	}
	defer seat.close()
	hosting, stop := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		seat.run(hosting)
	}()
	defer func() {
		stop()
		<-over
	}()
	a := seat.access()
	a.Coordinator = addressOf(n, a.Coordinator)
	b, err := a.bytes()
	if err != nil {
		return err
	}
	value, err := e.Broadcast(ctx, b)
	if err != nil {
		return err
	}
	defer value.Release()
	work := engine.Parallelize(e, make([][]engine.Row, e.Slots())).Map(reaches.With(probeConfig{value.ID()}))
	unreachable := &UnreachableError{Address: mesh.Far(a.Coordinator), Elsewhere: n.Coordinator != ""}
	err = work.Collect(ctx, func(_ int, row engine.Row) error {
		var r reached
		if err := json.Unmarshal(row.Bytes, &r); err != nil || r.Error == "" {
			return err
		}
		unreachable.Err = errors.New(r.Error)
		if !slices.Contains(unreachable.Hosts, r.Host) {
			unreachable.Hosts = append(unreachable.Hosts, r.Host)
		}
		return nil
	})
	if err == nil && unreachable.Err != nil {
		slices.Sort(unreachable.Hosts)
		return unreachable
	}
	return err
}

type probeConfig struct{ Access engine.BroadcastID }

// reached is a worker's result.
type reached struct{ Host, Error string }

var reaches = engine.Register("resident.reaches",
	func(t *engine.Task, conf probeConfig, _ engine.Rows, out engine.Writer) error {
		a, transport, err := join(t, conf.Access)
		if err != nil {
			return err
		}
		defer transport.Close()
		var r reached
		if r.Host, err = os.Hostname(); err != nil {
			r.Host = "a machine without a name"
		}
		link, err := transport.Dial(t.Context(), mesh.Coordinator, a.Coordinator)
		if err == nil {
			link.Close()
		} else {
			r.Error = err.Error()
		}
		row, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(row))
	})

// probed identifies a probe.
type probed struct {
	engine    engine.Engine
	network   distributed.Residents
	transport TransportKind
}

// probes are the last answers.
var probes answers

type answers struct {
	mu   sync.Mutex
	all  []probed
	errs []error
}

const remembered = 8

func (a *answers) find(key probed) (error, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.all, key); i >= 0 {
		return a.errs[i], true
	}
	return nil, false
}

func (a *answers) add(key probed, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == remembered {
		a.all, a.errs = slices.Delete(a.all, 0, 1), slices.Delete(a.errs, 0, 1)
	}
	a.all, a.errs = append(a.all, key), append(a.errs, err)
}
