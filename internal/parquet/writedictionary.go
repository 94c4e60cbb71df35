package parquet

import (
	"math/bits"

	"github.com/dl4go/dl4go/pipeline"
)

// maxEntries is the largest number of values in a dictionary that is written.
const maxEntries = 1 << 14

// dictionary returns the different texts or numbers of a column in a row group, how many there are, and the entry of
// each value as the bytes of a page. There are none for columns of other values, and if most do not come again.
func (c *columnWriter) dictionary(t *numberTable) (texts, entries []byte, n int) {
	if of := c.Type(); of != pipeline.StringType && of != pipeline.CategoricalType {
		return t.dictionaryOf(c)
	}
	most := 0 // entries
	for _, d := range c.defs {
		most += int(d)
	}
	most = min(most/2, maxEntries)
	known := map[string]uint32{}
	var index []uint32
	for rest := c.values; len(rest) > 0; {
		size := 4 + int(le.Uint32(rest))
		k, ok := known[string(rest[4:size])]
		if !ok {
			if k = uint32(len(known)); len(known) == most {
				return nil, nil, 0
			}
			known[string(rest[4:size])] = k
			texts = append(texts, rest[:size]...)
		}
		index = append(index, k)
		rest = rest[size:]
	}
	if len(known) == 0 {
		return nil, nil, 0
	}
	return texts, packed(index, len(known)), len(known)
}

// packed returns indices below n, which is at least 1, as the bytes of a page: the number of their bits, and one run of
// packed numbers.
func packed(index []uint32, n int) []byte {
	width := max(bits.Len(uint(n-1)), 1)
	groups := (len(index) + 7) / 8
	b := appendUvarint([]byte{byte(width)}, uint64(groups)<<1|1)
	held, filled := uint64(0), 0
	for i := range groups * 8 {
		if i < len(index) {
			held |= uint64(index[i]) << filled
		}
		for filled += width; filled >= 8; filled -= 8 {
			b, held = append(b, byte(held)), held>>8
		}
	}
	return b
}
