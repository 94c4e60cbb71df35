package parquet

import (
	"encoding/binary"
	"testing"
)

// TestManyLengths: a page whose texts are all empty takes no memory for the lengths of texts that are not read. It has
// as many texts as it says, and not more.
func TestManyLengths(t *testing.T) {
	const blocks = 1 << 19
	var b []byte
	for _, n := range []uint64{128, 1, 128*blocks + 1, 0} {
		b = binary.AppendUvarint(b, n)
	}
	b = append(b, make([]byte, 2*blocks)...) // of each block the least delta and the width
	for _, shared := range []bool{false, true} {
		page := append(b[:len(b):len(b)], "no text"...)
		if shared {
			page = append(b[:len(b):len(b)], page...)
		}
		memory := taken(func() {
			d, err := newDeltaTexts(page, shared)
			if err != nil {
				t.Fatal(err)
			}
			if n := d.lengths.count(); n != 128*blocks+1 || string(d.b) != "no text" {
				t.Errorf("%d texts, and then %q", n, d.b)
			}
			var to values
			if err := d.decode(1000, &to); err != nil || len(to.bytes) != 1000 || len(to.bytes[999]) > 0 {
				t.Error(err, len(to.bytes))
			}
			if err := d.decode(128*blocks-998, &to); err == nil {
				t.Error("there is a text more")
			}
		})
		if memory > 1<<20 {
			t.Errorf("%d MB for a page of %d bytes", memory>>20, len(page))
		}
	}
}
