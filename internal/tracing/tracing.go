// Package tracing reports work to OpenTelemetry, as child spans of the context's span. Without such a span, or if it
// is not recorded, nothing is recorded. A program that uses dl4go as a library gets these spans in its own traces.
package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the instrumentation.
const scope = "github.com/dl4go/dl4go"

// Start starts a span; end ends it with the error of the work. The returned context has the span. Attributes are pairs
// of a name and a value; the value is a string, a bool, an int, an int64 or a float64.
func Start(ctx context.Context, name string, attributes ...any) (_ context.Context, end func(error)) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := above.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithAttributes(pairs(attributes)...))
	return ctx, func(err error) { finish(span, err) }
}

// Set adds attributes to the span of the context.
func Set(ctx context.Context, attributes ...any) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(pairs(attributes)...)
	}
}

func finish(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

func pairs(attributes []any) (all []attribute.KeyValue) {
	for i := 0; i+1 < len(attributes); i += 2 {
		name := "dl4go." + attributes[i].(string)
		switch v := attributes[i+1].(type) {
		case string:
			all = append(all, attribute.String(name, v))
		case bool:
			all = append(all, attribute.Bool(name, v))
		case int:
			all = append(all, attribute.Int(name, v))
		case int64:
			all = append(all, attribute.Int64(name, v))
		case float64:
			all = append(all, attribute.Float64(name, v))
		}
	}
	return all
}
