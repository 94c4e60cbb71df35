package pipeline

import (
	"encoding/binary"
	"math"
)

// keyOf appends the key of a value. Equal values have equal keys: an Integer equals a Long of the same number, a
// Double a Float of the same number, and 0.0 equals -0.0. A text equals no number. NaN equals nothing: ok is false
// then.
func keyOf(to []byte, v Value) (key []byte, ok bool) {
	switch v.kind {
	case NullKind:
		return append(to, 'n'), true
	case IntegerKind, LongKind:
		return binary.BigEndian.AppendUint64(append(to, 'i'), v.bits), true
	case BooleanKind:
		return append(to, 'b', byte(v.bits)), true
	case DoubleKind, FloatKind:
		x := v.real()
		return binary.BigEndian.AppendUint64(append(to, 'd'), math.Float64bits(x+0)), x == x
	}
	s := v.String()
	to = binary.BigEndian.AppendUint64(append(to, 't', byte(v.kind)), uint64(len(s)))
	return append(to, s...), true
}

// keys finds the groups of rows with equal values in some columns, in order of first appearance.
type keys struct {
	columns []int
	groups  map[string]int
	n       int
	texts   bool // values are equal if their texts are equal
	scratch []byte
}

func newKeys(columns []int) *keys { return &keys{columns: columns, groups: make(map[string]int)} }

// key computes the key of values in columns. ok is false if one of them is NaN, which equals nothing.
func (k *keys) key(r Row, columns []int) (ok bool) {
	k.scratch, ok = k.scratch[:0], true
	for _, c := range columns {
		v := r[c]
		if k.texts {
			v = Text(v.String())
		}
		var same bool
		k.scratch, same = keyOf(k.scratch, v)
		ok = ok && same
	}
	return ok
}

// group returns the number of the group of a row by its keys. A row with NaN is a group of its own.
func (k *keys) group(r Row, columns []int) (at int, isNew bool) {
	if k.key(r, columns) {
		if at, ok := k.groups[string(k.scratch)]; ok {
			return at, false
		}
		k.groups[string(k.scratch)] = k.n
	}
	k.n++
	return k.n - 1, true
}

// find returns the group of a row by its keys, or -1.
func (k *keys) find(r Row, columns []int) int {
	if k.key(r, columns) {
		if at, ok := k.groups[string(k.scratch)]; ok {
			return at
		}
	}
	return -1
}
