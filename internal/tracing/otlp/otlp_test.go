package otlp

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/tracing"
)

// receiver is a collector.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*v1.Span
	tokens []string // of the requests
	about  string   // the resource, as text
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var body io.Reader = q.Body
		if q.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(q.Body)
		}
		b, _ := io.ReadAll(body)
		var got collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(b, &got); err != nil || q.URL.Path != "/v1/traces" {
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tokens = append(r.tokens, q.Header.Get("Authorization"))
		for _, resource := range got.ResourceSpans {
			r.about = resource.Resource.String()
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Write(nil)
	}))
	t.Cleanup(r.Close)
	return r
}

// environment sets variables, and returns a function that reads them.
func environment(t *testing.T, pairs ...string) func(string) string {
	all := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		t.Setenv(pairs[i], pairs[i+1])
		all[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return all[name] }
}

// TestTrace: spans arrive with their parents, attributes, errors, headers and resource.
func TestTrace(t *testing.T) {
	r := newReceiver(t)
	getenv := environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_EXPORTER_OTLP_HEADERS",
		"Authorization=Bearer%20abc",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "3600000", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip",
		"OTEL_RESOURCE_ATTRIBUTES", "team=watching",
		"TRACEPARENT", "00-0123456789abcdef0123456789abcdef-00f067aa0ba902b7-01")
	ctx, trace, err := Begin(t.Context(), "dl4go train", getenv)
	if err != nil {
		t.Fatal(err)
	}
	outer, end := tracing.Start(ctx, "epoch", "epoch", 1, "rate", 0.5, "last", true, "name", "a", "rows", int64(7))
	_, inner := tracing.Start(outer, "job")
	tracing.Set(outer, "more", "b")
	inner(errors.New("a worker was lost"))
	end(nil)
	if err := trace.End(nil); err != nil {
		t.Fatal(err)
	}
	names := map[string]*v1.Span{}
	for _, s := range r.spans {
		names[s.Name] = s
	}
	root, epoch, job := names["dl4go train"], names["epoch"], names["job"]
	if len(r.spans) != 3 || root == nil || epoch == nil || job == nil {
		t.Fatalf("the spans are %v", r.spans)
	}
	if string(epoch.ParentSpanId) != string(root.SpanId) || string(job.ParentSpanId) != string(epoch.SpanId) ||
		string(root.TraceId) != "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef" {
		t.Errorf("the spans hang together as %v", r.spans)
	}
	if job.Status.Message != "a worker was lost" || epoch.Status.GetMessage() != "" {
		t.Errorf("the errors are %v and %v", job.Status, epoch.Status)
	}
	attributes := map[string]string{}
	for _, a := range epoch.Attributes {
		attributes[a.Key] = strings.ReplaceAll(a.Value.String(), " ", "")
	}
	for name, want := range map[string]string{"dl4go.epoch": "int_value:1", "dl4go.rate": "double_value:0.5",
		"dl4go.last": "bool_value:true", "dl4go.name": `string_value:"a"`, "dl4go.rows": "int_value:7",
		"dl4go.more": `string_value:"b"`} {
		if attributes[name] != want {
			t.Errorf("%s is %q", name, attributes[name])
		}
	}
	if r.tokens[0] != "Bearer abc" || !strings.Contains(r.about, "watching") || !strings.Contains(r.about, "dl4go") {
		t.Errorf("token %q, resource %s", r.tokens[0], r.about)
	}
}

// TestNoTrace: without a collector in the environment, nothing is recorded.
func TestNoTrace(t *testing.T) {
	for _, pairs := range [][]string{nil, {"OTEL_EXPORTER_OTLP_ENDPOINT", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318", "OTEL_SDK_DISABLED", "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318", "OTEL_TRACES_EXPORTER", "none"}} {
		ctx, trace, err := Begin(t.Context(), "dl4go", environment(t, pairs...))
		if trace != nil || err != nil || ctx != t.Context() || trace.End(nil) != nil {
			t.Errorf("%v: %v, %v", pairs, trace, err)
		}
		within, end := tracing.Start(ctx, "job")
		if end(nil); within != ctx {
			t.Errorf("%v: a span is recorded", pairs)
		}
	}
}

// TestBadEnvironment: an address or a protocol that can't be used is an error that says so.
func TestBadEnvironment(t *testing.T) {
	for want, pairs := range map[string][]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT: not a URL of a collector": {"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: not a URL":         {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://\x00"[:7]},
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc: traces go by http/protobuf": {"OTEL_EXPORTER_OTLP_ENDPOINT",
			"http://localhost:4317",
			"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
	} {
		if _, trace, err := Begin(t.Context(), "dl4go", environment(t, pairs...)); trace != nil || err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestCollectorDown: if the collector refuses or never responds, work goes on, and the end reports what was lost.
func TestCollectorDown(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "go away", http.StatusForbidden)
	}))
	defer refusing.Close()
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, url := range map[string]string{"refusing": refusing.URL, "hanging": hanging.URL, "gone": gone.URL} {
		ctx, trace, err := Begin(context.Background(), "dl4go", environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT", url,
			"OTEL_EXPORTER_OTLP_TIMEOUT", "1"))
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 { // more than the buffer holds
			_, end := tracing.Start(ctx, "job")
			end(nil)
		}
		if err := trace.End(nil); err == nil || !strings.Contains(err.Error(), url) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPatience: the environment's time limit of the exporter is also that of the end.
func TestPatience(t *testing.T) {
	const all, traces = "OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"
	for want, pairs := range map[time.Duration][]string{closing: {all, "soon"}, 2 * time.Second: {all, "2000"},
		5 * time.Millisecond: {all, "2000", traces, "5"}} {
		if got := patienceOf(environment(t, pairs...)); got != want {
			t.Errorf("%v: %v, want %v", pairs, got, want)
		}
	}
}
