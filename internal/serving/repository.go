// Package serving serves models over HTTP and gRPC, by the Open Inference Protocol v2.
package serving

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/storage"
)

// Spec names a model file: NAME=FILE, or NAME/VERSION=FILE.
type Spec struct{ Name, Version, File string }

// ParseSpec reads a text NAME=FILE or NAME/VERSION=FILE. The version is a number; the default is 1.
func ParseSpec(text string) (Spec, error) {
	name, file, ok := strings.Cut(text, "=")
	name, version, versioned := strings.Cut(name, "/")
	if !versioned {
		version = "1"
	}
	if n, err := strconv.Atoi(version); err != nil || n < 1 {
		return Spec{}, fmt.Errorf("%q: the version %q is not a number from 1 on; write NAME/2=FILE", text, version)
	}
	if !ok || name == "" || file == "" || strings.ContainsAny(name, ":?# ") {
		return Spec{}, fmt.Errorf("%q is not a model; write NAME=FILE, or NAME/VERSION=FILE", text)
	}
	return Spec{name, version, file}, nil
}

// Model is a loaded version of a model.
type Model struct {
	Spec
	Signature
	predictor *serve.Predictor
	changed   stamp
	users     sync.WaitGroup
}

// stamp distinguishes a file from its predecessor.
type stamp struct {
	size int64
	time time.Time
}

// place is a name and version under which a model is served: its file may change.
type place struct {
	Spec
	model   *Model
	problem error // why the current file can't be loaded
	broken  stamp // the stamp of that file
}

// Repository is the set of models of a server.
type Repository struct {
	options serve.Options
	metrics *metrics
	log     *slog.Logger

	mu     sync.RWMutex
	places []*place // by name and version
}

// NotFoundError is an error about a model that the repository does not have.
type NotFoundError struct{ Name, Version string }

// Error names the model.
func (e *NotFoundError) Error() string {
	if e.Version != "" {
		return fmt.Sprintf("there is no model %q of version %q; /v2/repository/index lists the models", e.Name, e.Version)
	}
	return fmt.Sprintf("there is no model %q; /v2/repository/index lists the models", e.Name)
}

// OpenRepository loads all models. Each name and version may occur only once.
func OpenRepository(ctx context.Context, specs []Spec, o serve.Options, log *slog.Logger) (*Repository, error) {
	r := &Repository{options: o, log: log}
	r.metrics = newMetrics(r)
	for _, s := range specs {
		if slices.ContainsFunc(r.places, func(p *place) bool { return p.Name == s.Name && p.Version == s.Version }) {
			r.Close()
			return nil, fmt.Errorf("two models are %s of version %s; give one another name, or NAME/VERSION=FILE", s.Name,
				s.Version)
		}
		m, err := r.load(ctx, s)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("model %s: %w", s.Name, err)
		}
		r.places = append(r.places, &place{Spec: s, model: m})
	}
	return r, nil
}

// load opens a model file, and computes one example to compile its programs and to find its shapes.
func (r *Repository) load(ctx context.Context, s Spec) (*Model, error) {
	at, err := stampOf(ctx, s.File)
	if err != nil {
		return nil, err
	}
	o := r.options
	o.Observe = r.metrics.observer(s)
	m := &Model{Spec: s, changed: at}
	if m.predictor, err = serve.Open(ctx, s.File, o); err != nil {
		return nil, err
	}
	if m.Signature, err = signatureOf(ctx, m.predictor, o.MaxBatch); err != nil {
		m.predictor.Close()
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return m, nil
}

func stampOf(ctx context.Context, file string) (stamp, error) {
	f, err := storage.Open(ctx, file)
	if err != nil {
		return stamp{}, err
	}
	defer f.Close()
	return stamp{f.Size(), f.ModTime()}, nil
}

// use returns a model for a request, which must call done afterwards. An empty version means the newest one.
func (r *Repository) use(name, version string) (m *Model, done func(), err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, p := range r.places {
		if p.Name == name && (p.Version == version || version == "" && (m == nil || newer(p.Version, m.Version))) {
			m = p.model
		}
	}
	if m == nil {
		return nil, nil, &NotFoundError{name, version}
	}
	m.users.Add(1)
	return m, m.users.Done, nil
}

func newer(a, b string) bool {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return x > y
}

// Versions returns the versions of a model.
func (r *Repository) Versions(name string) (list []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, p := range r.places {
		if p.Name == name {
			list = append(list, p.Version)
		}
	}
	return list
}

// State is the state of a model on the health page.
type State struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
}

// staleFile begins the reason of a model whose file was replaced by a broken one.
const staleFile = "the file has changed and can't be loaded; the old model keeps answering"

// States returns the states of all models. All are ready: if a model's file is broken, the previous model goes on.
func (r *Repository) States() (list []State) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, p := range r.places {
		s := State{p.Name, p.Version, "READY", ""}
		if p.problem != nil {
			s.Reason = staleFile + ": " + p.problem.Error()
		}
		list = append(list, s)
	}
	return list
}

// Reload loads the files that have changed. A replaced model still answers its current requests. If a file is broken,
// its previous model stays.
func (r *Repository) Reload(ctx context.Context) {
	for _, p := range r.places {
		at, err := stampOf(ctx, p.File)
		if err == nil && (at == p.model.changed || p.problem != nil && at == p.broken) {
			continue
		}
		var m *Model
		if err == nil {
			m, err = r.load(ctx, p.Spec)
		}
		if err != nil && ctx.Err() != nil {
			return
		}
		r.mu.Lock()
		before := p.model
		if p.problem, p.broken = err, at; err == nil {
			p.model = m
		}
		r.mu.Unlock()
		if err != nil {
			r.log.Error("model not reloaded; the one before goes on", "model", p.Name, "version", p.Version, "error", err)
			continue
		}
		r.log.Info("model reloaded", "model", p.Name, "version", p.Version, "file", p.File)
		before.users.Wait()
		before.predictor.Close()
	}
}

// Watched begins to watch the files, as Watch does. The function that it returns ends that, and waits for the end.
func (r *Repository) Watched(ctx context.Context, every time.Duration) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Watch(ctx, every)
	}()
	return func() {
		stop()
		<-ended
	}
}

// Watch reloads changed files at the given interval, until the context ends.
func (r *Repository) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.Reload(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Close waits for the current requests, and closes the models.
func (r *Repository) Close() {
	for _, p := range r.places {
		p.model.users.Wait()
		p.model.predictor.Close()
	}
}
