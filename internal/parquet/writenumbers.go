package parquet

import "github.com/dl4go/dl4go/pipeline"

// numberTable numbers different values, by their bits.
type numberTable struct {
	slots [2 * maxEntries]int32 // 1 + the entry
	keys  []uint64
	index []uint32 // the entry of each value
}

// dictionaryOf returns the same as dictionary for numbers.
func (t *numberTable) dictionaryOf(c *columnWriter) (numbers, entries []byte, n int) {
	size := 0
	switch c.physical {
	case physicalInt32, physicalFloat:
		size = 4
	case physicalInt64, physicalDouble:
		size = 8
	}
	if size == 0 || c.Type() == pipeline.ArrayType {
		return nil, nil, 0
	}
	clear(t.slots[:])
	t.keys, t.index = t.keys[:0], t.index[:0]
	most := min(len(c.values)/size/2, maxEntries)
	for rest := c.values; len(rest) > 0; rest = rest[size:] {
		key := uint64(0)
		if size == 4 {
			key = uint64(le.Uint32(rest))
		} else {
			key = le.Uint64(rest)
		}
		k, ok := t.place(key, most)
		if !ok {
			return nil, nil, 0
		}
		t.index = append(t.index, k)
	}
	if len(t.keys) == 0 {
		return nil, nil, 0
	}
	for _, key := range t.keys {
		if size == 4 {
			numbers = le.AppendUint32(numbers, uint32(key))
		} else {
			numbers = le.AppendUint64(numbers, key)
		}
	}
	return numbers, packed(t.index, len(t.keys)), len(t.keys)
}

// place returns the entry of a value. It returns false if there are more than the most.
func (t *numberTable) place(key uint64, most int) (entry uint32, ok bool) {
	const mask = len(t.slots) - 1
	for at := int((key * 0x9e3779b97f4a7c15) >> 49); ; at = (at + 1) & mask {
		k := t.slots[at&mask]
		if k == 0 {
			if len(t.keys) >= most {
				return 0, false
			}
			t.keys = append(t.keys, key)
			t.slots[at&mask] = int32(len(t.keys))
			return uint32(len(t.keys) - 1), true
		}
		if t.keys[k-1] == key {
			return uint32(k - 1), true
		}
	}
}
