package worker

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
)

// TestOrderOf checks that the sum is the CRC32C of the indices' bytes, and that computing it allocates nothing.
func TestOrderOf(t *testing.T) {
	indices := []int64{0, 5, -1, 1 << 40, 12345678901234, 7}
	var b []byte
	for _, i := range indices {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	want := Order{Rows: 6, CRC32C: crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))}
	if got := OrderOf(slices.Values(indices)); got != want {
		t.Errorf("%+v, wanted %+v", got, want)
	}
	if n := testing.AllocsPerRun(100, func() { OrderOf(slices.Values(indices)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
