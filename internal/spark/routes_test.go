package spark

import (
	"testing"

	"github.com/dl4go/dl4go/internal/spark/endpoint"
)

// TestRoutesOfServer asks a server for its routes.
func TestRoutesOfServer(t *testing.T) {
	f := startFake(t, "driver's")
	f.set("spark.driver.host", "edge")
	f.set("spark.connect.grpc.binding.port", "15003")
	for token, want := range map[string]int{"": 2, "secret": 0} {
		s := f.open(t, f.address().WithToken(token))
		got, err := endpoint.Routes(t.Context(), s)
		if err != nil || len(got) != want || s.ServerSession() != f.name {
			t.Errorf("token %q: %v, %v, in session %q", token, got, err, s.ServerSession())
		}
	}
}
