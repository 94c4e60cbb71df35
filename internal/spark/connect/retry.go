package connect

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Retry says how often, and after which waits, a request is repeated.
type Retry struct {
	Attempts int           // in all, 8 by default
	First    time.Duration // the wait before the second attempt, 50 ms by default; each next one is four times as long
	Longest  time.Duration // the longest wait, 15 s by default; a stream that lasted as long is no failed attempt
}

// wait returns the pause after an attempt, counted from 1.
func (r Retry) wait(attempt int, err error) time.Duration {
	d := r.First
	for range attempt - 1 {
		d = min(4*d, r.Longest)
	}
	d += time.Duration(rand.Int64N(int64(d)/4 + 1))
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			d = max(d, min(info.GetRetryDelay().AsDuration(), 10*r.Longest))
		}
	}
	return d
}

// errBroken is the error of a result stream that ended early or fell silent.
var errBroken = errors.New("the stream of results broke off")

// passing reports whether the same request may succeed later: the connection failed, or the server says so.
func passing(err error) bool {
	if errors.Is(err, errBroken) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	st := status.Convert(err)
	for _, detail := range st.Details() {
		if _, ok := detail.(*errdetails.RetryInfo); ok {
			return true
		}
	}
	switch st.Code() {
	case codes.Unavailable:
		return !strings.Contains(st.Message(), "x509: ") && !strings.Contains(st.Message(), "tls: ")
	case codes.Internal:
		return strings.Contains(st.Message(), "RST_STREAM") || strings.Contains(st.Message(), "INVALID_CURSOR.DISCONNECTED")
	}
	return false
}

// refused reports whether nothing listens at the server's port. A restarted server, or a tunnel to it, listens again
// within seconds.
func refused(err error) bool {
	return status.Code(err) == codes.Unavailable && strings.Contains(status.Convert(err).Message(), "connection refused")
}

// attempts returns how often a request that fails like this is made. Refused requests are repeated for some 20 s, and
// not at all once the server was given up.
func (l *link) attempts(err error) int {
	switch all := l.options.Retry.Attempts; {
	case !refused(err):
		return all
	case l.away.Load():
		return 1
	default:
		return max(1, all*3/4)
	}
}

// heard records whether the server was given up because it refuses connections: later requests don't wait for it.
func (l *link) heard(err error) {
	switch {
	case refused(err):
		l.away.Store(true)
	case err == nil || !passing(err):
		l.away.Store(false)
	}
}

// cut reports whether a proxy ended a result stream. Proxies end silent streams after a while, by a reset (RST_STREAM)
// or by an end without a status. The server still has the operation, whatever code gRPC makes of it.
func cut(err error) bool {
	st := status.Convert(err)
	return st.Code() == codes.Canceled && strings.Contains(st.Message(), "RST_STREAM") ||
		st.Code() == codes.Internal && strings.Contains(st.Message(), "without sending trailers")
}

// retrying calls f until it succeeds, fails for good, or the attempts are used up. It returns f's last error.
func (l *link) retrying(ctx context.Context, what string, f func() error) error {
	for attempt := 1; ; attempt++ {
		err := f()
		if err == nil || !passing(err) || attempt >= l.attempts(err) || ctx.Err() != nil {
			if ctx.Err() == nil {
				l.heard(err)
			}
			return err
		}
		wait := l.options.Retry.wait(attempt, err)
		l.options.Log.Debug("Spark Connect: trying again", "server", l.address.Server(), "to", what, "attempt", attempt+1,
			"after", wait, "error", err)
		if !pause(ctx, wait) {
			return err
		}
	}
}

// pause waits. It returns false if the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
