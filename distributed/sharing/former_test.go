package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
)

// TestFormerCheckpoint checks that a fit goes on from a checkpoint whose checksum is of each example, as checkpoints
// had it before assignments were pieces of an order.
func TestFormerCheckpoint(t *testing.T) {
	a := equal(Layout{Partitions: []int{301, 206}, Workers: 3, Batch: 10, Seed: 5}, 3)
	m := &TrainingMaster{base: new(masters.Base)}
	if m.checksum(a) != checksum(a) {
		t.Error("a fit that begins has another checksum")
	}
	for from, want := range map[uint32]uint32{3104930731: 3104930731, 3104930732: checksum(a)} {
		m.base.From = &distributed.Place{Shares: from}
		if got := m.checksum(a); got != want {
			t.Errorf("from %d: the checksum is %d, want %d", from, got, want)
		}
	}
}
