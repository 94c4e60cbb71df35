package resident

import (
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/local"
)

// TestMessageLimit checks for networks of all sizes that the coordinator and the workers accept the largest message of
// the log.
func TestMessageLimit(t *testing.T) {
	e := local.New(1, engine.Options{})
	defer e.Close()
	for _, largest := range []int{8, 3 << 20, 1 << 30} {
		for _, batch := range []int{0, 4 << 20, 512 << 20} {
			p := Plan{Engine: e, MaxMessage: largest, Config: coordination.Config{Term: 1, Partitions: 2, Batch: batch,
				Timing: coordination.DefaultTiming()},
				Reference: NoReference{}}
			s, err := p.sit(t.Context(), coordination.JobID{1}, func(coordination.Action) {})
			if err != nil {
				t.Fatal(err)
			}
			h := s.(*hosted)
			if got := h.workers.Options.MaxMessage; got != h.MaxMessage || got < max(largest, batch)+1<<20 ||
				got < mesh.DefaultMaxMessage {
				t.Errorf("vectors of %d bytes, batches of %d: messages of %d are let through", largest, batch, got)
			}
			s.close()
		}
	}
}
