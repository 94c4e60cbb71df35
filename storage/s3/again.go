package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
)

// A request is repeated when the server is busy or does not respond: throttling or a restart must not end a run. A
// server that has never responded probably does not exist.
const (
	patience    = time.Minute // sum of all waits
	firstWait   = 200 * time.Millisecond
	longestWait = 5 * time.Second
	retries     = 4 // attempts, if the server has never responded
)

// repeater repeats requests to one server. Its zero value is for a server that has not responded yet.
type repeater struct {
	answered atomic.Bool
	wait     func(ctx context.Context, d time.Duration) error // replaces waiting by the clock, for tests
}

// listening is a transport that records when the server responds.
type listening struct {
	http.RoundTripper
	to *repeater
}

func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		l.to.answered.Store(true)
	}
	return answer, err
}

// again makes a request, and repeats it until it succeeds or fails for a permanent reason.
func (r *repeater) again(ctx context.Context, try func() error) error {
	return r.asking(ctx, func() (bool, error) {
		err := try()
		return passes(err), err
	})
}

// asking is like again, but try itself reports whether to repeat it. Waits grow and are random, because all workers
// are throttled at once.
func (r *repeater) asking(ctx context.Context, try func() (again bool, err error)) error {
	begin, waited, wait := time.Now(), time.Duration(0), firstWait
	for n := 1; ; n++ {
		again, err := try()
		patient := r.answered.Load() && waited < patience && (n < retries || time.Since(begin) < 2*patience)
		if err == nil || !again || !patient && n >= retries {
			return err
		}
		d := wait/2 + rand.N(wait/2)
		if err := r.pause(ctx, d); err != nil {
			return err
		}
		waited, wait = waited+d, min(2*wait, longestWait)
	}
}

func (r *repeater) pause(ctx context.Context, d time.Duration) error {
	if r.wait != nil {
		return r.wait(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// settled is an error that repeating would not change.
type settled struct{ error }

func (s settled) Unwrap() error { return s.error }

// passes reports whether a repeated request may succeed.
func passes(err error) bool {
	var (
		answer      minio.ErrorResponse
		done        settled
		local       *fs.PathError
		dns         *net.DNSError
		authority   x509.UnknownAuthorityError
		certificate *tls.CertificateVerificationError
	)
	if err == nil || errors.As(err, &done) || errors.Is(err, context.Canceled) || errors.As(err, &dns) && dns.IsNotFound ||
		errors.As(err, &authority) || errors.As(err, &certificate) || errors.As(err, &local) || noTLS(err) {
		return false
	}
	if !errors.As(err, &answer) || answer.StatusCode == 0 && answer.Code == "" {
		return true // an error of the connection
	}
	if full(answer) {
		return false
	}
	switch answer.Code {
	// these also occur at the end of a response that began well
	case "RequestTimeout", "SlowDown", "ServiceUnavailable", "InternalError",
		"ConditionalRequestConflict": // with another request that writes the object
		return true
	}
	return answer.StatusCode >= 500 && answer.Code != minio.NotImplemented || busy(answer.StatusCode)
}

// busy reports whether a status that is not a server error is temporary.
func busy(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
}
