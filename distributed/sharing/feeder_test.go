package sharing

import (
	"bytes"
	"context"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/resident"
)

// TestRecycledMinibatches: minibatches in the memory of earlier ones are the same, also if their sizes differ.
func TestRecycledMinibatches(t *testing.T) {
	var rows []engine.Row
	for i := range 103 {
		c := data.Compact{Shape: []int{7}, Pixels: bytes.Repeat([]byte{byte(i)}, 7), Divisor: 255, Class: i % 3, Classes: 3}
		rows = append(rows, engine.Unindexed(c.AppendTo(nil)))
	}
	kept, err := resident.Keep(engine.SliceRows(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	for _, prefetch := range []int{0, 2} {
		plain := &feeder{rows: kept, batch: 8, seed: 5, prefetch: prefetch}
		again := &feeder{rows: kept, batch: 8, seed: 5, prefetch: prefetch,
			spent: distributed.NewSpent("avx2", prefetch)}
		for i := range uint32(3 * plain.minibatches()) {
			epoch, ordinal := i/uint32(plain.minibatches()), i%uint32(plain.minibatches())
			want, err := plain.minibatch(context.Background(), epoch, ordinal)
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.minibatch(context.Background(), epoch, ordinal)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data.AppendRow(nil, got), data.AppendRow(nil, want)) {
				t.Fatalf("prefetch %d, epoch %d: minibatch %d differs", prefetch, epoch, ordinal)
			}
			for k := range got.Features[0].Data {
				got.Features[0].Data[k] = -1
			}
			again.spent.Give(got)
		}
		plain.close()
		again.close()
	}
}
