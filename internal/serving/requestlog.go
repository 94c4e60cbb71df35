package serving

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/dl4go/dl4go/serve"
)

// entry is the log entry of a request. It has neither inputs nor outputs.
type entry struct {
	model, version string
	rows           int
	times          serve.Times
}

type entryKey struct{}

// logged adds a log entry for a request to the context, if requests are logged.
func (o *Options) logged(ctx context.Context) (context.Context, *entry) {
	if !o.LogRequests {
		return ctx, nil
	}
	e := &entry{}
	return serve.WithTimes(context.WithValue(ctx, entryKey{}, e), &e.times), e
}

// about records a request's model.
func about(ctx context.Context, m *Model) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		e.model, e.version = m.Name, m.Version
	}
}

// asked records the number of rows, sequences or examples of a request.
func asked(ctx context.Context, rows int) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		e.rows = rows
	}
}

// log writes the entry of a request that has ended.
func (e *entry) log(o *Options, endpoint string, status any, took time.Duration) {
	if e == nil {
		return
	}
	fields := []slog.Attr{slog.String("endpoint", endpoint), slog.Any("status", status),
		slog.Float64("seconds", took.Seconds())}
	if e.model != "" {
		fields = append(fields, slog.String("model", e.model), slog.String("version", e.version), slog.Int("rows", e.rows),
			slog.Float64("queue_seconds", e.times.Queued.Seconds()),
			slog.Float64("compute_seconds", e.times.Computed.Seconds()))
	}
	o.Log.LogAttrs(context.Background(), slog.LevelInfo, "request", fields...)
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withLog logs the requests to a handler, by the patterns of their paths.
func (s *rest) withLog(next http.Handler) http.Handler {
	if !s.options.LogRequests {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		ctx, e := s.options.logged(r.Context())
		r = r.WithContext(ctx)
		to := &statusWriter{w, http.StatusOK}
		next.ServeHTTP(to, r)
		e.log(&s.options, s.pattern(r), to.status, time.Since(begin))
	})
}

// pattern returns the path of a request without the names in it, which may have any length.
func (s *rest) pattern(r *http.Request) string {
	_, pattern := s.mux.Handler(r)
	if pattern == "" || pattern == others {
		return r.Method
	}
	return pattern
}
