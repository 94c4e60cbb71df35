package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spanTree has the number of spans by path: "dl4go train/epoch/round".
type spanTree map[string]int

// trace runs dl4go with a collector of OpenTelemetry, and returns the spans that the collector received.
func trace(t *testing.T, args ...string) spanTree {
	t.Helper()
	var mu sync.Mutex
	spans := map[string]*v1.Span{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var got v1.TracesData // the same encoding as that of an export request
		if err != nil || proto.Unmarshal(body, &got) != nil {
			t.Errorf("%s has no traces: %v", q.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range got.ResourceSpans {
			for _, s := range r.ScopeSpans {
				for _, span := range s.Spans {
					spans[string(span.SpanId)] = span
				}
			}
		}
	}))
	defer collector.Close()
	cmd := exec.Command("dl4go", args...)
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL,
		"OTEL_EXPORTER_OTLP_TIMEOUT=3600000")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "warning: traces") {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	tree := spanTree{}
	for _, s := range spans {
		path := s.Name
		for above := spans[string(s.ParentSpanId)]; above != nil; above = spans[string(above.ParentSpanId)] {
			path = above.Name + "/" + path
		}
		tree[path]++
	}
	return tree
}

// want compares the numbers of some spans.
func (s spanTree) want(t *testing.T, all map[string]int) {
	t.Helper()
	for path, n := range all {
		if s[path] != n && (n >= 0 || s[path] == 0) {
			t.Errorf("%d spans of %s, want %d; all are %v", s[path], path, n, s)
		}
	}
}

// some means any number of spans except 0.
const some = -1

// TestTraces: epochs, rounds, jobs and tasks of a run reach a collector, on each engine of this machine.
func TestTraces(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.zip")
	base := []string{"train", "--epochs", "2", "--batch", "64", "--save", model}
	const epoch, round = "dl4go train/epoch", "dl4go train/epoch/round"
	for _, master := range []string{"local[2]", "processes[2]"} {
		got := trace(t, append(base, "--master", master, "--rounds", "jobs", "--averaging-frequency", "5")...)
		got.want(t, map[string]int{"dl4go train": 1, epoch: 2, epoch + "/score held-out data": 2, round: 6, round + "/job": 6,
			round + "/job/task": some})
		got = trace(t, append(base, "--master", master, "--training", "sharing")...)
		got.want(t, map[string]int{epoch: 2, epoch + "/share updates": 2, epoch + "/job/task": some})
	}
	trace(t, append(base, "--training", "plain")...).want(t, map[string]int{"dl4go train": 1, epoch: 2})
}
