package spark

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestRowsForOldServers checks how rows are sent to Spark 3.5, whose server keeps relations in its heap. Many rows go
// in a file, and workers make Spark's table from it. A few go as a relation.
func TestRowsForOldServers(t *testing.T) {
	const few, many = 1 << 10, uploadBytes
	for _, c := range []struct {
		version string
		size    int
		filed   bool
	}{{"3.5.7", few, false}, {"3.5.7", many, true}, {"4.1.4", few, false}} {
		f := startFake(t, "s")
		f.version = c.version
		f.execute = func(r *protocol.ExecutePlanRequest, send func(*protocol.ExecutePlanResponse) error) error {
			if r.Plan.GetRoot() != nil { // the query for the commits
				for p := range 2 {
					if err := send(answerLines(p, commitLine(p, engine.Row{Index: int64(p),
						Bytes: make([]byte, c.size)}))); err != nil {
						return err
					}
				}
			}
			return send(&protocol.ExecutePlanResponse{ResponseId: "end",
				ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
					ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}})
		}
		e := bareEngine(t)
		e.carrier = &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())},
			has: make(map[engine.BroadcastID]bool)}
		e.carrier.heartbeat = &heartbeat{engine: e.wants, session: e.carrier.session}
		d := engine.FromPlan(e, engine.DriverRows{Partitions: []engine.Part{engine.RowSlice{{Bytes: make([]byte, c.size)}},
			engine.RowSlice{{Index: 1, Bytes: make([]byte, c.size)}}}}, 2)
		err := e.do(t.Context(), func(j *job) error {
			k, err := j.keeper().keep(d)
			if err == nil && (k.persisted != nil) != c.filed {
				t.Errorf("Spark %s, rows of %d bytes: kept %v", c.version, c.size, k.persisted)
			}
			return err
		})
		if err != nil {
			t.Fatalf("Spark %s: %v", c.version, err)
		}
		relations, files := 0, 0
		for name, b := range f.arrived {
			if strings.HasPrefix(name, "cache/") {
				relations += len(b)
			} else if strings.HasPrefix(name, connect.AsJar) {
				files += len(b)
			}
		}
		if c.filed != (relations == 0) || c.filed != (files >= 2*c.size) {
			t.Errorf("Spark %s, rows of %d bytes: %d bytes of relations, %d of files", c.version, c.size, relations, files)
		}
		e.forget(e.kept[d])
		if len(e.values) != 0 {
			t.Errorf("Spark %s: %d values are left", c.version, len(e.values))
		}
	}
}
