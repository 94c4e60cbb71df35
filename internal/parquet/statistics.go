package parquet

import (
	"math"

	"github.com/dl4go/dl4go/pipeline"
)

// PassOver has Next pass over row groups without reading them, where removes says so of the extents of the Reader's
// columns. A group with a value that reading may refuse is read.
func (r *Reader) PassOver(removes func(columns []pipeline.Extent) bool) { r.removes = removes }

// Passed returns how many rows Next passed over before the rows that it returned last.
func (r *Reader) Passed() int64 { return r.passed }

// passes reports whether the rows of a group need not be read.
func (r *Reader) passes(g rowGroup) bool {
	extents := make([]pipeline.Extent, len(r.columns))
	for i := range r.columns {
		c := &r.columns[i]
		switch {
		case c.form == vector, c.form == list && c.leaves[0].maxRep > 1: // may be malformed
			return false
		case c.form == list:
			continue
		}
		l := &c.leaves[0]
		ordered := l.chunk.chunk < len(r.file.ordered) && r.file.ordered[l.chunk.chunk]
		extents[i] = c.extent(l.leaf, g.chunks[l.chunk.chunk], ordered)
		unsigned := l.physical == physicalInt64 && l.logical.kind == logicalInteger && l.logical.unsigned
		if unsigned && extents[i].High.IsNull() && !extents[i].AllNull { // it may be too large for a Long
			return false
		}
	}
	return r.removes(extents)
}

// statistics holds the statistics of a column in a row group. Missing ones are nil.
type statistics struct {
	nulls     int64 // -1: unknown
	low, high []byte
	// oldLow and oldHigh have the order of signed numbers, whatever the column's type.
	oldLow, oldHigh []byte
}

func readStatistics(b []byte) statistics {
	s := statistics{nulls: -1}
	c := &compact{b: b}
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 3 && kind == thriftI64:
			s.nulls = c.int()
		case kind != thriftBinary:
			return false
		case id == 1:
			s.oldHigh = c.bytes()
		case id == 2:
			s.oldLow = c.bytes()
		case id == 5:
			s.high = c.bytes()
		case id == 6:
			s.low = c.bytes()
		default:
			return false
		}
		return true
	})
	return s
}

// extent returns the extent of a column by its statistics. ordered means that bounds have the order of the column's
// type.
func (c *Column) extent(l leaf, m chunkMeta, ordered bool) (e pipeline.Extent) {
	s := readStatistics(m.statistics)
	if s.nulls > m.values || s.nulls < -1 { // none of it can be trusted
		s = statistics{nulls: -1}
	}
	e.NoNulls = l.maxDef == 0 || s.nulls == 0
	e.AllNull = l.maxDef > 0 && s.nulls == m.values
	low, high := s.low, s.high
	if !ordered || low == nil || high == nil {
		low, high = s.oldLow, s.oldHigh
		if l.physical == physicalBytes || l.physical == physicalFixed || l.logical.unsigned {
			return e
		}
	}
	if low == nil || high == nil || e.AllNull {
		return e
	}
	least, ok := c.bound(l, low)
	most, also := c.bound(l, high)
	if ok && also && inOrder(least, most) {
		e.Low, e.High = least, most
	}
	return e
}

// bound converts a bound in statistics to a value. The column's bounds must have the order of its values.
func (c *Column) bound(l leaf, b []byte) (v pipeline.Value, ok bool) {
	one := leafReader{chunk: chunk{leaf: l}}
	to := &one.values
	switch {
	case l.physical == physicalBoolean && len(b) == 1:
		to.i32 = []int32{int32(b[0] & 1)}
	case l.physical == physicalInt32 && len(b) == 4:
		to.i32 = []int32{int32(le.Uint32(b))}
	case l.physical == physicalInt64 && len(b) == 8:
		to.i64 = []int64{int64(le.Uint64(b))}
	case l.physical == physicalFloat && len(b) == 4:
		to.f32 = []float32{math.Float32frombits(le.Uint32(b))}
	case l.physical == physicalDouble && len(b) == 8:
		to.f64 = []float64{math.Float64frombits(le.Uint64(b))}
	case l.physical == physicalBytes && c.Type == pipeline.StringType:
		to.bytes = [][]byte{b}
	default:
		return v, false
	}
	v, err := c.scalar(&one, 0)
	return v, err == nil
}

// inOrder reports whether two bounds can be the lowest and the highest of some values; NaN can't.
func inOrder(low, high pipeline.Value) bool {
	if low.IsText() {
		return low.String() <= high.String()
	}
	if low.Kind() == pipeline.LongKind {
		a, _ := low.Long()
		b, _ := high.Long()
		return a <= b
	}
	a, _ := low.Double()
	b, _ := high.Double()
	return a <= b
}

// typeOrder reads a ColumnOrder, and reports whether it is the order of the column's type.
func (c *compact) typeOrder() (ordered bool) {
	c.fields(func(id int16, _ byte) bool {
		ordered = id == 1
		return false
	})
	return ordered
}
