package paramavg

import (
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
)

// TestFormerCheckpoint checks that a pass goes on from a checkpoint whose checksum is of each example, as checkpoints
// had it before rounds were pieces of an order.
func TestFormerCheckpoint(t *testing.T) {
	l := Layout{Partitions: []int{301, 206}, Workers: 3, Batch: 10, Frequency: 4, Seed: 5, Repartition: Always}
	s, err := ByIndex{}.schedule(l)
	if err != nil {
		t.Fatal(err)
	}
	for shares, want := range map[uint32]bool{424202986: true, s.checksum(): true, 424202987: false} {
		at := distributed.Place{Shares: shares, Done: 2}
		m := &TrainingMaster{base: new(masters.Base)}
		m.Resume(at)
		if err := m.locate(&at, s, 0); (err == nil) != want || want && at.Shares != s.checksum() {
			t.Errorf("checksum %d: %v, then %d", shares, err, at.Shares)
		}
	}
}
