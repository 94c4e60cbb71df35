// Package otlp sends the traces of a program to an OpenTelemetry collector, over OTLP/HTTP.
package otlp

import (
	"context"
	"fmt"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/semconv/v1.43.0"
	api "go.opentelemetry.io/otel/trace"
)

// Trace is a trace that is sent while the program runs. A nil Trace does nothing.
type Trace struct {
	provider *trace.TracerProvider
	span     api.Span
	sent     *sent
	patience time.Duration // at the end
}

// Begin starts a trace with a span of this name, if OpenTelemetry's environment variables name a collector:
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. The other variables apply as OpenTelemetry
// specifies: headers, certificates, compression, timeout, sampler, resource. TRACEPARENT names a parent span. The
// returned context has the span. The trace is nil if no collector is named.
func Begin(ctx context.Context, name string, getenv func(string) string) (context.Context, *Trace, error) {
	endpoint, err := endpointOf(getenv)
	if endpoint == "" || err != nil {
		return ctx, nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true,
		InitialInterval: time.Second, MaxInterval: 10 * time.Second, MaxElapsedTime: time.Minute}))
	if err != nil {
		return ctx, nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("dl4go"),
		semconv.ServiceVersion(version())),
		resource.WithHost(), resource.WithProcessPID(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return ctx, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Trace{sent: &sent{SpanExporter: exporter, to: endpoint}, patience: patienceOf(getenv)}
	t.provider = trace.NewTracerProvider(trace.WithBatcher(t.sent), trace.WithResource(about))
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": getenv("TRACEPARENT"),
		"tracestate": getenv("TRACESTATE")})
	ctx, t.span = t.provider.Tracer("github.com/dl4go/dl4go").Start(ctx, name)
	return ctx, t, nil
}

// endpointOf returns where traces go; empty if none are wanted.
func endpointOf(getenv func(string) string) (string, error) {
	name, endpoint := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if endpoint == "" {
		name, endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	exporter := getenv("OTEL_TRACES_EXPORTER")
	if endpoint == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter != "" && exporter != "otlp" {
		return "", nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%s: not a URL of a collector, such as http://localhost:4318; no traces are sent", name)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch p := getenv(name); p {
		case "":
			continue
		case "http/protobuf", "http/json":
		default:
			return "", fmt.Errorf("%s=%s: traces go by http/protobuf or http/json, to port 4318 of most collectors; none "+
				"are sent", name, p)
		}
		break
	}
	return u.Scheme + "://" + u.Host, nil
}

// closing is how long the end of the program waits for the collector, unless the environment has a time limit for it.
const closing = 3 * time.Second

// patienceOf returns how long the end of the program waits for the collector.
func patienceOf(getenv func(string) string) time.Duration {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil && n > 0 {
			return time.Duration(n) * time.Millisecond
		}
	}
	return closing
}

// End ends the trace with the program's error, and sends the rest. Its own error tells how many spans were lost.
func (t *Trace) End(failure error) error {
	if t == nil {
		return nil
	}
	if failure != nil {
		t.span.SetStatus(codes.Error, failure.Error())
	}
	t.span.End()
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	return t.sent.lost(err)
}

// sent counts spans that do not arrive. Batches are sent beside the program's work, which never waits for them.
type sent struct {
	trace.SpanExporter
	to string

	mu     sync.Mutex
	missed int
	why    error
}

// ExportSpans sends spans.
func (s *sent) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.missed, s.why = s.missed+len(spans), err
	}
	return nil
}

// lost returns an error with the number of spans that did not arrive; err is the error of the end.
func (s *sent) lost(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.missed > 0:
		return fmt.Errorf("traces: %d spans did not reach %s: %w", s.missed, s.to, s.why)
	case err != nil:
		return fmt.Errorf("traces: the last spans did not reach %s: %w", s.to, err)
	}
	return nil
}

// version returns the version of the program's module.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
