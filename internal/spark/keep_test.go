package spark

import (
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestQueriesAreKeptOnDisk checks that rows of a query that don't fit in memory go to disk, so they are not queried,
// moved and sorted again.
func TestQueriesAreKeptOnDisk(t *testing.T) {
	f := startFake(t, "s")
	f.execute = func(_ *protocol.ExecutePlanRequest, send func(*protocol.ExecutePlanResponse) error) error {
		return send(&protocol.ExecutePlanResponse{ResponseId: "end",
			ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
				ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}})
	}
	e := bareEngine(t)
	c := &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())}}
	c.heartbeat = &heartbeat{engine: e.wants, session: c.session}
	query := engine.FromPlan(e, &selected{engine.Query{SQL: "SELECT 1"}, 1}, 1)
	files := engine.FromPlan(e, engine.Files{Partitions: [][]string{{}}}, 1)
	indexed := query.Index()
	for i, d := range []*engine.Dataset{query, indexed.Map(unpacking.With(unpackConfig{})),
		files.Map(unpacking.With(unpackConfig{}))} {
		j := &job{carrier: c, engine: e, ctx: t.Context(), starts: map[*engine.Dataset][]int64{indexed: {0, 1}}}
		j.keeper().persist(new(keeping), d, engine.MemoryOnly)
		if len(f.levels) != 1 || f.levels[0].UseDisk != (i < 2) || !f.levels[0].UseMemory {
			t.Errorf("data set %d is kept at %v", i, f.levels)
		}
		f.levels = nil
	}
}
