//go:build spark

package spark

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
	"github.com/dl4go/dl4go/internal/worker"
)

// TestSparkHeartbeatOfEndedSession checks that a worker learns that its session has ended even if it asks for the first
// time after that.
func TestSparkHeartbeatOfEndedSession(t *testing.T) {
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect.Open(t.Context(), a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	routes, err := endpoint.Routes(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	h := &heartbeatReader{heartbeatFile: heartbeatFile{Addresses: []route{route(routes[0])}}, job: "1"}
	if err := h.ask(t.Context()); !errors.Is(err, worker.ErrGivenUp) {
		t.Errorf("told %v", err)
	}
}
