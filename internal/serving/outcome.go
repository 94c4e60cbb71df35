package serving

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/serve"
)

// outcome is how a request ended, in the terms of HTTP, gRPC and the metrics.
type outcome int

const (
	done outcome = iota
	bad
	notFound
	full
	late
	left // the client is gone: nobody reads the response
	closed
	failed
)

func (s outcome) http() int {
	return [...]int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests,
		http.StatusGatewayTimeout, 499, http.StatusServiceUnavailable, http.StatusInternalServerError}[s]
}

func (s outcome) grpc() codes.Code {
	return [...]codes.Code{codes.OK, codes.InvalidArgument, codes.NotFound, codes.ResourceExhausted,
		codes.DeadlineExceeded, codes.Canceled, codes.Unavailable, codes.Internal}[s]
}

func (s outcome) String() string {
	return [...]string{"ok", "bad_input", "not_found", "overloaded", "deadline", "canceled", "closed", "failed"}[s]
}

// outcomeOf returns the outcome of an error.
func outcomeOf(err error) outcome {
	var unknown *NotFoundError
	var value *data.ValueError
	switch {
	case err == nil:
		return done
	case errors.As(err, &unknown):
		return notFound
	case errors.Is(err, serve.ErrOverloaded), errors.Is(err, errHeld):
		return full
	case errors.Is(err, serve.ErrClosed):
		return closed
	case errors.Is(err, context.DeadlineExceeded):
		return late
	case errors.Is(err, context.Canceled):
		return left
	case errors.As(err, &value) && len(value.Array) > 6 && value.Array[:7] == "outputs":
		return failed
	}
	return bad
}
