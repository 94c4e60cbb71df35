package spark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

func init() { worker.RegisterHeartbeat(openHeartbeat) }

// openHeartbeat reads the file of the driver's heartbeat.
func openHeartbeat(conf json.RawMessage, job string) (worker.Heartbeat, error) {
	var name string
	if err := json.Unmarshal(conf, &name); err != nil {
		return worker.Heartbeat{}, err
	}
	f, err := readHeartbeat(name)
	if err != nil {
		return worker.Heartbeat{}, err
	}
	for _, file := range []*string{&f.TLS.CAFile, &f.TLS.CertFile, &f.TLS.KeyFile} {
		if *file == "" {
			continue
		}
		if *file, err = artifact(*file); err != nil {
			return worker.Heartbeat{}, err
		}
	}
	h := &heartbeatReader{heartbeatFile: f, name: name, token: f.token(), job: job, changed: time.Now()}
	return worker.Heartbeat{Ask: h.ask, Every: f.Every}, nil
}

// readHeartbeat reads the newest heartbeat file that is complete: Spark may still be copying another session's.
func readHeartbeat(name string) (newest heartbeatFile, err error) {
	found, err := artifacts(name + "*")
	whole := false
	for _, path := range found {
		var f heartbeatFile
		b, failed := os.ReadFile(path)
		if failed == nil {
			failed = json.Unmarshal(b, &f)
		}
		switch {
		case failed != nil:
			err = errors.Join(err, fmt.Errorf("%s: %w", path, failed))
		case !whole || f.Issued > newest.Issued:
			newest, whole = f, true
		}
	}
	if whole {
		err = nil
	}
	return newest, err
}

// artifact finds an artifact by its name: the newest, if several sessions have one.
func artifact(name string) (string, error) {
	found, err := artifacts(name)
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// artifacts finds all artifacts with a name, the newest first. It fails if there is none.
func artifacts(name string) ([]string, error) {
	found, err := filepath.Glob("./*/" + name)
	if err != nil {
		return nil, err
	}
	at := make(map[string]time.Time)
	for _, path := range found {
		if info, err := os.Stat(path); err == nil {
			at[path] = info.ModTime()
		}
	}
	found = slices.DeleteFunc(found, func(path string) bool { return at[path].IsZero() })
	slices.SortStableFunc(found, func(a, b string) int { return at[b].Compare(at[a]) })
	if len(found) == 0 {
		return nil, fmt.Errorf("the artifact %s is not here", name)
	}
	return found, nil
}

// sessionEnded is the reason to give up a job that no driver can want any more.
const sessionEnded = "its session has ended"

// heartbeatReader is the worker's side: it asks whether its job is still wanted.
type heartbeatReader struct {
	heartbeatFile
	name    string // of the file
	job     string
	session *connect.Session // in which it has seen the heartbeat
	last    string
	changed time.Time
	same    int // answers since then

	mu    sync.Mutex
	token string // the current one
}

func (h *heartbeatReader) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(h.Addresses)+1)*heartbeatWait)
	defer cancel()
	value, err := h.read(ctx)
	if err != nil {
		h.reread()
		return err
	}
	return h.judge(value, time.Now())
}

// judge returns an error if a value read at now means that the job is given up.
func (h *heartbeatReader) judge(value string, now time.Time) error {
	if value != h.last {
		h.last, h.changed, h.same = value, now, 0
	}
	h.same++
	jobs := strings.Fields(value)
	if len(jobs) == 0 || !slices.Contains(jobs[1:], h.job) {
		return fmt.Errorf("%w: job %s is not among those that are wanted", worker.ErrGivenUp, h.job)
	}
	if since := now.Sub(h.changed); since > heartbeatStale && h.same >= heartbeatSame {
		return fmt.Errorf("%w: its heartbeat has been missing for %v", worker.ErrGivenUp, since.Round(time.Second))
	}
	return nil
}

// read returns the heartbeat's value. Before the first one, a server without a heartbeat counts as another server than
// the driver's.
func (h *heartbeatReader) read(ctx context.Context) (string, error) {
	if h.session != nil {
		got, err := h.session.Get(ctx, heartbeatKey, tokenKey)
		h.learn(got[tokenKey])
		if sessionGone(err) {
			err = fmt.Errorf("%w: %s", worker.ErrGivenUp, sessionEnded)
		}
		return got[heartbeatKey], err
	}
	failed := []error{errors.New("no server has said whether the job is wanted")}
	for _, a := range h.Addresses {
		value, err := h.find(ctx, connect.Address(a))
		if err == nil || errors.Is(err, worker.ErrGivenUp) {
			return value, err
		}
		failed = append(failed, fmt.Errorf("%s: %w", connect.Address(a), err))
	}
	return "", errors.Join(failed...)
}

// find looks for the heartbeat at an address. If it is there, the reader keeps the session.
func (h *heartbeatReader) find(ctx context.Context, a connect.Address) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, heartbeatWait)
	defer cancel()
	s, err := connect.Open(ctx, a, connect.Options{TLS: h.TLS, Insecure: h.Insecure, CallTimeout: heartbeatWait,
		Retry: connect.Retry{Attempts: 1}, ServerSession: h.Server, Token: h.now})
	if err == nil {
		var got map[string]string
		got, err = s.Get(ctx, heartbeatKey, tokenKey)
		h.learn(got[tokenKey])
		if value := got[heartbeatKey]; value != "" {
			h.session = s
			return value, nil
		}
		s.Disconnect()
	}
	switch e := (*connect.Error)(nil); {
	case err == nil:
		err = errors.New("the server has no session of this driver's")
	case errors.As(err, &e) && e.Closed(): // before this worker's first question
		err = fmt.Errorf("%w: %s", worker.ErrGivenUp, sessionEnded)
	}
	return "", err
}

func sessionGone(err error) bool {
	e := (*connect.Error)(nil)
	return errors.As(err, &e) && e.Gone()
}
