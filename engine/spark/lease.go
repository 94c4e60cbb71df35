package spark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// A worker can't see that its job is gone: Spark neither ends the process of a cancelled task nor closes its streams,
// and a driver that was killed leaves its queries running. So the driver writes a lease into a setting of its session,
// every few seconds another number and the jobs that are wanted, and workers that have run for a while read it at the
// Connect server, which executors reach where they reach Spark's driver. Where they don't, workers end at their deadline
// or with their executor.
const (
	leaseKey   = "dl4go.lease"
	leasePush  = 3 * time.Second  // between two changes
	leaseStale = 14 * time.Second // without a change, until a worker takes its driver for dead
	leaseSame  = 5                // answers that are the same, at least, until then: a busy server delays the driver too
	leaseAsk   = 2 * time.Second  // between two looks of a worker, at least
	leaseWait  = 5 * time.Second  // for an answer
)

// lease is the driver's side, of one carrier: what it tells its workers, all that the engine wants.
type lease struct {
	engine  *Engine
	session *connect.Session
	stop    context.CancelFunc
	done    chan struct{}

	pushing sync.Mutex
	number  int64
}

// leaseFile is what workers read: where to ask, and for which session. It may hold a token, so it is an artifact.
type leaseFile struct {
	Addresses []connect.Address // to be tried in this order
	TLS       connect.TLS       // with names of artifacts
	Insecure  bool
	Every     time.Duration
}

// Routes are the addresses at which a session's workers look for the server, one after the other: this client's, and
// that of Spark's driver.
func Routes(ctx context.Context, s *connect.Session) ([]connect.Address, error) {
	own := s.Address()
	own.SessionID, own.UserID = s.ID(), s.UserID()
	known, err := s.Get(ctx, "spark.driver.host", "spark.connect.grpc.binding.port")
	if err != nil {
		return nil, err
	}
	host := known["spark.driver.host"]
	if host == "" || host == own.Host {
		return []connect.Address{own}, nil
	}
	there := own
	there.Host, there.Port = host, connect.DefaultPort
	if port, err := strconv.Atoi(known["spark.connect.grpc.binding.port"]); err == nil {
		there.Port = port
	}
	if own.Loopback() { // a tunnel's end, perhaps: there, it is another machine's loopback
		return []connect.Address{there, own}, nil
	}
	return []connect.Address{own, there}, nil
}

// newLease begins a lease, and sends the file for workers.
func newLease(ctx context.Context, c *carrier) (*lease, error) {
	e, s := c.engine, c.session
	f := leaseFile{Insecure: e.client.Insecure, Every: e.leaseEvery()}
	var err error
	if f.Addresses, err = Routes(ctx, s); err != nil {
		return nil, err
	}
	f.Insecure = f.Insecure || e.address.Loopback() && e.address.Token == ""
	var artifacts []connect.Artifact
	f.TLS = e.client.TLS
	if f.TLS != (connect.TLS{}) && f.TLS.ServerName == "" {
		f.TLS.ServerName = e.address.Host
	}
	for _, file := range []*string{&f.TLS.CAFile, &f.TLS.CertFile, &f.TLS.KeyFile} {
		if *file == "" {
			continue
		}
		name := e.unique("t")
		a, err := connect.ArtifactFile(c.kind+name, *file)
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, a)
		*file = name
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	if err := s.AddArtifacts(ctx, append(artifacts, connect.ArtifactBytes(c.kind+e.leaseName(), b), connect.ArtifactBytes(c.kind+c.mark, nil))...); err != nil {
		return nil, err
	}
	l := &lease{engine: e, session: s, done: make(chan struct{})}
	if err := l.push(ctx); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.leases = append(e.leases, l)
	e.mu.Unlock()
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	go l.keep(ctx)
	return l, nil
}

// leaseEvery is how often a worker asks: all together some 50 times a second.
func (e *Engine) leaseEvery() time.Duration {
	return max(leaseAsk, time.Duration(e.program.Slots())*leaseAsk/100)
}

// leaseName is the file's, in all of the engine's sessions: a task that Spark repeats much later, since it has lost
// what was kept of it, may run in a session that came after the task was written. The newest file counts.
func (e *Engine) leaseName() string { return e.name + "lease" }

func (l *lease) keep(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(leasePush)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := l.push(ctx); err != nil && ctx.Err() == nil {
			l.engine.options.Log.Warn("Spark: workers could not be told that their jobs are wanted: they end soon, if that lasts",
				"master", l.engine.Master(), "error", err)
		}
	}
}

// push writes the setting anew.
func (l *lease) push(ctx context.Context) error {
	l.pushing.Lock()
	defer l.pushing.Unlock()
	l.number++
	value := []string{strconv.FormatInt(l.number, 10)}
	l.engine.mu.Lock()
	for job := range l.engine.wanted {
		value = append(value, job)
	}
	l.engine.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, leaseStale/2)
	defer cancel()
	return l.session.Set(ctx, map[string]string{leaseKey: strings.Join(value, " ")})
}

// want has the job wanted, from now on for a worker that asks.
func (e *Engine) want(ctx context.Context, job string) error {
	e.mu.Lock()
	e.wanted[job] = true
	e.mu.Unlock()
	return e.tell(ctx)
}

// unwant has the job not wanted any more, from the next change on: tell makes one now.
func (e *Engine) unwant(job string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.wanted, job)
}

// tell says in all sessions what is wanted.
func (e *Engine) tell(ctx context.Context) error {
	e.mu.Lock()
	all := slices.Clone(e.leases)
	e.mu.Unlock()
	var failed []error
	for _, l := range all {
		failed = append(failed, l.push(ctx))
	}
	return errors.Join(failed...)
}

func (l *lease) end() {
	if l == nil {
		return
	}
	l.engine.mu.Lock()
	l.engine.leases = slices.DeleteFunc(l.engine.leases, func(other *lease) bool { return other == l })
	l.engine.mu.Unlock()
	l.stop()
	<-l.done
}

// leaseTask is what a Task says of the lease.
func (e *Engine) leaseTask() json.RawMessage {
	b, _ := json.Marshal(e.leaseName())
	return b
}

func init() { worker.RegisterLease(openLease) }

// openLease is the worker's side.
func openLease(conf json.RawMessage, job string) (worker.Lease, error) {
	var name string
	if err := json.Unmarshal(conf, &name); err != nil {
		return worker.Lease{}, err
	}
	path, err := artifact(name)
	if err != nil {
		return worker.Lease{}, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return worker.Lease{}, err
	}
	var f leaseFile
	if err := json.Unmarshal(b, &f); err != nil {
		return worker.Lease{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, file := range []*string{&f.TLS.CAFile, &f.TLS.CertFile, &f.TLS.KeyFile} {
		if *file == "" {
			continue
		}
		if *file, err = artifact(*file); err != nil {
			return worker.Lease{}, err
		}
	}
	h := &holder{leaseFile: f, job: job, changed: time.Now()}
	return worker.Lease{Ask: h.ask, Every: f.Every}, nil
}

// artifact finds an artifact by its name: the newest, where several sessions had one.
func artifact(name string) (string, error) {
	found, err := filepath.Glob("./*/" + name)
	if err != nil {
		return "", err
	}
	var newest string
	var at time.Time
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(at)) {
			newest, at = path, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("the artifact %s is not here", name)
	}
	return newest, nil
}

// holder is a worker that asks.
type holder struct {
	leaseFile
	job     string
	session *connect.Session
	last    string
	changed time.Time
	same    int // answers since then
}

func (h *holder) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(h.Addresses)+1)*leaseWait)
	defer cancel()
	var got map[string]string
	err := h.open(ctx)
	if err == nil {
		got, err = h.session.Get(ctx, leaseKey)
	}
	if sessionGone(err) { // perhaps before this worker has asked for the first time
		return fmt.Errorf("%w: its session has ended", worker.ErrGivenUp)
	}
	if err != nil {
		return err
	}
	value := got[leaseKey]
	if value != h.last {
		h.last, h.changed, h.same = value, time.Now(), 0
	}
	h.same++
	jobs := strings.Fields(value)
	if len(jobs) == 0 || !slices.Contains(jobs[1:], h.job) {
		return fmt.Errorf("%w: job %s is not among those that are wanted", worker.ErrGivenUp, h.job)
	}
	if since := time.Since(h.changed); since > leaseStale && h.same >= leaseSame {
		return fmt.Errorf("%w: no sign of life came from it for %v", worker.ErrGivenUp, since.Round(time.Second))
	}
	return nil
}

func sessionGone(err error) bool {
	e := (*connect.Error)(nil)
	return errors.As(err, &e) && e.Gone()
}

// open connects to the server, wherever it is reached.
func (h *holder) open(ctx context.Context) error {
	if h.session != nil {
		return nil
	}
	var failed []error
	for _, a := range h.Addresses {
		try, cancel := context.WithTimeout(ctx, leaseWait)
		s, err := connect.Open(try, a, connect.Options{TLS: h.TLS, Insecure: h.Insecure, CallTimeout: leaseWait,
			Retry: connect.Retry{Attempts: 1}})
		cancel()
		if err == nil {
			h.session = s
			return nil
		}
		if sessionGone(err) {
			return err
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
