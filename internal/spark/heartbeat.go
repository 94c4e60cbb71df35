package spark

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
)

// A worker can't see that its job is gone: Spark neither ends the process of a cancelled task nor closes its streams,
// and the queries of a killed driver go on. So the driver writes a heartbeat into a setting of its session every few
// seconds: a new number and the wanted jobs. Workers that have run for a while read it at the Connect server, which
// executors can usually reach where they reach Spark's driver. If they can't, workers end at their deadline or with
// their executor.
const (
	heartbeatKey   = "dl4go.heartbeat"
	heartbeatPush  = 3 * time.Second  // between two changes
	heartbeatLate  = 20 * time.Second // limit of a change, after which the next one is tried
	heartbeatFirst = time.Minute      // limit of a job's first change
	// heartbeatStale is how long the heartbeat may stay unchanged before a worker takes its driver for dead: machines
	// sleep, and connections die silently. At least heartbeatSame answers must be the same, too: a busy server also
	// delays the driver.
	heartbeatStale = time.Minute
	heartbeatSame  = 5
	heartbeatAsk   = 2 * time.Second // minimum between two looks of a worker
	heartbeatWait  = 5 * time.Second // limit of an answer
)

// heartbeat is the driver's side of one carrier's heartbeat: it tells the workers all jobs that the engine wants.
type heartbeat struct {
	engine  *wants
	session *connect.Session
	stop    context.CancelFunc
	done    chan struct{}

	pushing sync.Mutex
	number  int64
	file    heartbeatFile // the last one sent
}

// heartbeatFile tells workers where to ask, and for which session. It may hold a token, so it is an artifact.
type heartbeatFile struct {
	Issued    int64       // by the driver's clock, in ns: an engine's newest file counts
	Key       []byte      // of later tokens
	Addresses []route     // to be tried in this order
	Server    string      // the server's own name for the session; empty for Spark 3.5
	TLS       connect.TLS // with names of artifacts as files
	Insecure  bool
	Every     time.Duration
}

// route is an address with all its settings, including the token.
type route connect.Address

// wants tracks the wanted jobs, and the heartbeats that publish them.
type wants struct {
	*cluster
	wanted     map[string]bool // jobs that may have workers, and kept data sets that Spark may recompute
	heartbeats []*heartbeat    // of the carriers
	sealing    []byte          // the key of renewed tokens
}

// newHeartbeat begins a heartbeat, and sends the file for workers.
func newHeartbeat(ctx context.Context, c *carrier) (*heartbeat, error) {
	e, s := c.engine, c.session
	f := heartbeatFile{Insecure: e.client.Insecure, Every: e.heartbeatEvery(),
		Server: s.ServerSession(), Key: e.tokenKey()}
	all, err := endpoint.Routes(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		f.Addresses = append(f.Addresses, route(a))
	}
	if len(f.Addresses) == 0 {
		e.unroutable.Do(func() {
			e.options.Log.Warn("Spark: workers are not told the server's address, as the token would leave this machine in "+
				"clear: "+
				"those of a job that was given up end only at its deadline; give the server a name that executors reach by TLS",
				"master", e.Master())
		})
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
		a, err := connect.ArtifactFile(connect.AsJar+name, *file)
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, a)
		*file = name
	}
	artifact, f, err := f.issue(connect.AsJar+e.heartbeatName(), s.Address().Token)
	if err != nil {
		return nil, err
	}
	artifacts = append(artifacts, artifact, connect.ArtifactBytes(connect.AsJar+c.mark, nil))
	if err := s.AddArtifacts(ctx, artifacts...); err != nil {
		return nil, err
	}
	l := &heartbeat{engine: e.wants, session: s, done: make(chan struct{}), file: f}
	if err := l.push(ctx, heartbeatFirst); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.heartbeats = append(e.heartbeats, l)
	e.mu.Unlock()
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	go l.keep(ctx)
	return l, nil
}

// heartbeatEvery returns how often a worker asks. All workers together ask some 50 times a second.
func (e *cluster) heartbeatEvery() time.Duration {
	return max(e.asking, time.Duration(e.program.Slots())*heartbeatAsk/100)
}

// heartbeatName is the name of the file in all of the engine's sessions. Spark may repeat a task much later, after it
// has lost kept rows, in a session that is newer than the task. The names of files with renewed tokens begin with this
// name. The newest file counts.
func (e *cluster) heartbeatName() string { return e.name + heartbeatWord }

const heartbeatWord = "heartbeat"

func (l *heartbeat) keep(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(heartbeatPush)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := l.push(ctx, heartbeatLate); err != nil && ctx.Err() == nil {
			l.engine.options.Log.Warn("Spark: workers could not be told that their jobs are wanted: "+
				"they end soon, if that lasts", "master", l.engine.Master(), "error", err)
		}
	}
}

// push writes the setting with the next number.
func (l *heartbeat) push(ctx context.Context, limit time.Duration) error {
	l.pushing.Lock()
	defer l.pushing.Unlock()
	l.number++
	value := []string{strconv.FormatInt(l.number, 10)}
	l.engine.mu.Lock()
	for job := range l.engine.wanted {
		value = append(value, job)
	}
	l.engine.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	settings := map[string]string{heartbeatKey: strings.Join(value, " ")}
	renewed := l.renew(settings)
	if err := l.session.Set(ctx, settings); err != nil || renewed == "" {
		return err
	}
	if err := l.send(ctx, renewed); err != nil {
		l.engine.options.Log.Warn("Spark: workers that start now do not have the renewed token",
			"master", l.engine.Master(), "error", err)
	}
	return nil
}

// want adds a job to the wanted ones, and publishes that at once in its carrier's session. Older sessions publish it
// with their next change: their own jobs don't need it.
func (c *carrier) want(ctx context.Context, job string) error {
	c.engine.mu.Lock()
	c.engine.wanted[job] = true
	c.engine.mu.Unlock()
	return c.heartbeat.push(ctx, heartbeatFirst)
}

// unwant removes a job from the wanted ones. The next change publishes that; tell makes one now.
func (e *wants) unwant(job string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.wanted, job)
}

// tell publishes the wanted jobs in all sessions.
func (e *wants) tell(ctx context.Context) error {
	e.mu.Lock()
	all := slices.Clone(e.heartbeats)
	e.mu.Unlock()
	var failed []error
	for _, l := range all {
		failed = append(failed, l.push(ctx, heartbeatLate))
	}
	return errors.Join(failed...)
}

func (l *heartbeat) end() {
	if l == nil {
		return
	}
	l.engine.mu.Lock()
	l.engine.heartbeats = slices.DeleteFunc(l.engine.heartbeats, func(other *heartbeat) bool { return other == l })
	l.engine.mu.Unlock()
	l.stop()
	<-l.done
}

// heartbeatTask returns the value of Task.Heartbeat.
func (e *cluster) heartbeatTask() json.RawMessage {
	b, _ := json.Marshal(e.heartbeatName())
	return b
}
