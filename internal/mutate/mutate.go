// Package mutate damages files, for tests of their readers. The same number gives the same damage on every run.
package mutate

import (
	"encoding/binary"
	"math/rand/v2"
)

// Bytes returns a damaged copy of b: one to four changes, each of a byte, of a number, of the length, or by copying a
// part to another place.
func Bytes(b []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	out := append(make([]byte, 0, len(b)+64), b...)
	for range 1 + r.IntN(4) {
		if len(out) == 0 {
			return append(out, byte(seed))
		}
		at := r.IntN(len(out))
		n := min(1+r.IntN(32), len(out)-at)
		switch r.IntN(8) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = byte(r.Uint32())
		case 2: // a length or a count, in either byte order
			var number [8]byte
			binary.BigEndian.PutUint64(number[:], interesting[r.IntN(len(interesting))])
			if r.IntN(2) == 0 {
				binary.LittleEndian.PutUint64(number[:], interesting[r.IntN(len(interesting))])
			}
			k := 1 << r.IntN(4)
			copy(out[at:], number[8-k:])
		case 3:
			out = out[:at]
		case 4: // a part is missing
			out = append(out[:at], out[at+n:]...)
		case 5: // a part is repeated
			part := append([]byte(nil), out[at:at+n]...)
			out = append(out[:at], append(part, out[at:]...)...)
		case 6: // a part is moved
			copy(out[r.IntN(len(out)):], append([]byte(nil), out[at:at+n]...))
		case 7:
			for i := range n {
				out[at+i] = 0xff
			}
		}
	}
	return out
}

var interesting = []uint64{0, 1, 2, 3, 7, 8, 16, 32, 33, 99, 102, 127, 128, 255, 256, 1 << 15, 1<<16 - 1, 1 << 16,
	1 << 20, 1 << 24,
	1 << 30, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1<<62 - 1, 1 << 62, 1<<63 - 1, 1 << 63, 1<<64 - 1}
