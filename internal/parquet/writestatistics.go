package parquet

import (
	"bytes"
	"cmp"
	"math"
)

// maxBound limits the bytes of a text in statistics.
const maxBound = 64

// bounds returns the lowest and the highest value in the form of statistics. They are nil if there is no value, a
// number is NaN, or a text is long.
func (c *columnWriter) bounds() (low, high []byte) {
	switch c.physical {
	case physicalBoolean:
		return c.boolBounds()
	case physicalInt32:
		return boundsOf(c.values, 4, func(a, b []byte) int {
			return cmp.Compare(int32(le.Uint32(a)), int32(le.Uint32(b)))
		})
	case physicalInt64:
		return boundsOf(c.values, 8, func(a, b []byte) int {
			return cmp.Compare(int64(le.Uint64(a)), int64(le.Uint64(b)))
		})
	case physicalFloat:
		return realBounds(c.values, 4, func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) })
	case physicalDouble:
		return realBounds(c.values, 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) })
	}
	return c.byteBounds()
}

func (c *columnWriter) boolBounds() (low, high []byte) {
	for _, x := range c.bools {
		b := []byte{0}
		if x {
			b[0] = 1
		}
		low, high = wider(low, high, b, bytes.Compare)
	}
	return low, high
}

// boundsOf returns the bounds of values of this size.
func boundsOf(values []byte, size int, compare func(a, b []byte) int) (low, high []byte) {
	for ; len(values) > 0; values = values[size:] {
		low, high = wider(low, high, values[:size], compare)
	}
	return bytes.Clone(low), bytes.Clone(high) // the memory of values is reused
}

// realBounds returns the bounds of floats. A zero gets the sign that makes the bounds wider.
func realBounds(values []byte, size int, of func([]byte) float64) (low, high []byte) {
	for rest := values; len(rest) > 0; rest = rest[size:] {
		if x := of(rest); x != x {
			return nil, nil
		}
	}
	low, high = boundsOf(values, size, func(a, b []byte) int { return cmp.Compare(of(a), of(b)) })
	if low != nil && of(low) == 0 {
		low[size-1] = 0x80
	}
	if high != nil && of(high) == 0 {
		high[size-1] = 0
	}
	return low, high
}

// byteBounds returns the bounds of texts, in the order of their bytes.
func (c *columnWriter) byteBounds() (low, high []byte) {
	for rest := c.values; len(rest) > 0; {
		n := 4 + int(le.Uint32(rest))
		low, high = wider(low, high, rest[4:n], bytes.Compare)
		rest = rest[n:]
	}
	if len(low) > maxBound || len(high) > maxBound {
		return nil, nil
	}
	return bytes.Clone(low), bytes.Clone(high)
}

func wider(low, high, b []byte, compare func(a, b []byte) int) (l, h []byte) {
	if low == nil || compare(b, low) < 0 {
		low = b
	}
	if high == nil || compare(b, high) > 0 {
		high = b
	}
	return low, high
}

// statistics writes the statistics of a column in a row group.
func (t *thriftWriter) statistics(c writtenChunk) {
	t.structure(12)
	t.i64(3, int64(c.nulls))
	if c.low != nil && c.high != nil {
		t.text(5, string(c.high))
		t.text(6, string(c.low))
	}
	t.end()
}
