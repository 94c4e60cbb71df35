package mlflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// fakeServer is a tracking server in memory. It enforces MLflow's rules and limits.
type fakeServer struct {
	t *testing.T

	mu        sync.Mutex
	down      error         // the error of every request, instead of a response
	refuse    int           // the status of all responses; 0: as usual
	slow      time.Duration // before each response
	lose      string        // the response to this path is lost, once
	requests  int
	runs      int // number of created runs
	tag       string
	status    string
	reason    string // the tag dl4go.error
	params    map[string]string
	metrics   map[string]map[int]float64
	artifacts map[string]string
}

func newFake(t *testing.T) *fakeServer {
	return &fakeServer{t: t, params: map[string]string{}, metrics: map[string]map[int]float64{},
		artifacts: map[string]string{}}
}

func (f *fakeServer) settings() Settings {
	to, _ := url.Parse("http://tracker.invalid")
	return Settings{Server: to, Experiment: "tests", Client: &http.Client{Transport: f}}
}

// RoundTrip responds to a request.
func (f *fakeServer) RoundTrip(q *http.Request) (*http.Response, error) {
	var body []byte
	if q.Body != nil {
		body, _ = io.ReadAll(q.Body)
	}
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	if slow > 0 {
		late := make(chan struct{})
		time.AfterFunc(slow, func() { close(late) })
		select {
		case <-late:
		case <-q.Context().Done():
			return nil, q.Context().Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.down != nil {
		return nil, f.down
	}
	status, answer := 200, any(map[string]any{})
	if f.refuse != 0 {
		status = f.refuse
	} else {
		status, answer = f.answer(q, body)
	}
	path := strings.TrimPrefix(q.URL.Path, "/api/2.0/mlflow/")
	if f.lose == path {
		f.lose = ""
		return nil, errors.New("connection reset")
	}
	b, _ := json.Marshal(answer)
	return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(b)), Request: q}, nil
}

func (f *fakeServer) answer(q *http.Request, body []byte) (int, any) {
	path := strings.TrimPrefix(q.URL.Path, "/api/2.0/mlflow/")
	if name, ok := strings.CutPrefix(q.URL.Path, "/api/2.0/mlflow-artifacts/artifacts/1/r/artifacts/"); ok {
		f.artifacts[name] = string(body)
		return 200, nil
	}
	var in struct {
		Tags    []keyValue
		Status  string
		Params  []keyValue
		Metrics []struct {
			Key   string
			Value any
			Step  int
		}
		Filter string
		Value  string
	}
	if len(body) > 0 && json.Unmarshal(body, &in) != nil {
		f.t.Errorf("%s: %s", path, body)
	}
	run := map[string]any{"info": map[string]string{"run_id": "r", "artifact_uri": "mlflow-artifacts:/1/r/artifacts"}}
	switch path {
	case "experiments/get-by-name":
		return 404, map[string]string{"error_code": "RESOURCE_DOES_NOT_EXIST"}
	case "experiments/create":
		return 200, map[string]string{"experiment_id": "1"}
	case "runs/search":
		if f.runs == 0 || !strings.Contains(in.Filter, f.tag) {
			return 200, map[string]any{}
		}
		run["data"] = map[string]any{"metrics": f.last()}
		return 200, map[string]any{"runs": []any{run}}
	case "runs/create":
		f.runs++
		f.status = running
		f.tag = in.Tags[0].Value
		return 200, map[string]any{"run": run}
	case "runs/update":
		f.status = in.Status
	case "runs/log-batch":
		if len(in.Metrics) > 1000 || len(in.Params) > 100 {
			f.t.Errorf("a batch of %d metrics and %d parameters", len(in.Metrics), len(in.Params))
		}
		for _, p := range in.Params {
			f.params[p.Key] = p.Value
		}
		for _, m := range in.Metrics {
			if f.metrics[m.Key] == nil {
				f.metrics[m.Key] = map[int]float64{}
			}
			f.metrics[m.Key][m.Step], _ = m.Value.(float64)
		}
	case "runs/set-tag":
		f.reason = in.Value
	default:
		f.t.Errorf("a request for %s", path)
	}
	return 200, map[string]any{}
}

// last returns the last values.
func (f *fakeServer) last() (all []map[string]any) {
	for key, values := range f.metrics {
		last := 0
		for step := range values {
			last = max(last, step)
		}
		all = append(all, map[string]any{"key": key, "step": last, "value": values[last]})
	}
	return all
}

// set changes the server's state.
func (f *fakeServer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// has checks that the server has the values of a run that is over, the first thousand of each series and the last one
// among them, and no others.
func (f *fakeServer) has(run stats.Run) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.metrics) != len(run.Series) {
		f.t.Errorf("%d metrics, want %d", len(f.metrics), len(run.Series))
	}
	for _, s := range run.Series {
		got, want := f.metrics[nameOf(s.Name)], picked(s.Iterations, true)
		if len(got) != len(want) {
			f.t.Errorf("%s has %d values, want %d", s.Name, len(got), len(want))
		}
		for _, i := range want {
			if at := s.Iterations[i]; got[at] != s.Values[i] {
				f.t.Errorf("%s at %d is %v, want %v", s.Name, at, got[at], s.Values[i])
				break
			}
		}
	}
}
