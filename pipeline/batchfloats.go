package pipeline

import "math"

// tileFloats is how many numbers are written column by column before the next rows, so that they stay in the
// first-level cache.
const tileFloats = 4096

// Float32s writes the numbers of columns side by side into rows of to, which are stride numbers long. It returns false
// if a value is not a finite 32-bit number.
func (b *Batch) Float32s(columns []int, to []float32, stride int) bool {
	tile := max(tileFloats/stride, 16)
	for from := 0; from < b.rows; from += tile {
		end := min(from+tile, b.rows)
		for i := 0; i < len(columns); {
			c, at, n := &b.columns[columns[i]], to[from*stride+i:], 1
			if c.form == indicatorForm {
				n = b.indicators(columns[i:])
				c.writeIndicators(n, from, end, at, stride)
			} else if !c.writeFloats(from, end, at, stride) {
				return false
			}
			i += n
		}
	}
	return true
}

// indicators counts the first columns that indicate consecutive numbers of one category column.
func (b *Batch) indicators(columns []int) int {
	first := &b.columns[columns[0]]
	for n, i := range columns {
		c := &b.columns[i]
		if c.form != indicatorForm || &c.index[0] != &first.index[0] || c.pick != first.pick+int32(n) {
			return n
		}
	}
	return len(columns)
}

// writeIndicators writes n columns, starting with this one.
func (c *cells) writeIndicators(n, from, end int, to []float32, stride int) {
	for i, k := range c.index[from:end] {
		row := to[i*stride:][:n]
		clear(row)
		if k -= c.pick; uint(k) < uint(len(row)) {
			row[k] = 1
		}
	}
}

// writeFloats writes the numbers of some rows.
func (c *cells) writeFloats(from, end int, to []float32, stride int) bool {
	switch c.form {
	case realsForm:
		return writeFinite(c.reals[from:end], to, stride)
	case integersForm:
		for i, n := range c.integers[from:end] {
			to[i*stride] = float32(float64(n))
		}
		return true
	case constantForm, chosenForm:
		return c.chosenFloats(from, end, to, stride)
	case perEntryForm:
		return c.entryFloats(from, end, to, stride)
	}
	for i := from; i < end; i++ {
		x, err := c.at(i).Double()
		if err != nil || !put(to, (i-from)*stride, x) {
			return false
		}
	}
	return true
}

func put(to []float32, at int, x float64) bool {
	y := float32(x)
	to[at] = y
	return y-y == 0
}

func writeFinite(x []float64, to []float32, stride int) bool {
	odd := uint32(0) // the highest bit is set once a number is not finite
	for i, v := range x {
		y := float32(v)
		to[i*stride] = y
		odd |= math.Float32bits(y)&(1<<31-1) + 1<<23
	}
	return odd>>31 == 0
}

// chosenFloats converts the few values, and writes the value of each row. Values that no row has are ignored.
func (c *cells) chosenFloats(from, end int, to []float32, stride int) bool {
	var few [memoTexts]float32
	if len(c.values) > len(few) {
		for i := from; i < end; i++ {
			if x, err := c.at(i).Double(); err != nil || !put(to, (i-from)*stride, x) {
				return false
			}
		}
		return true
	}
	for k, v := range c.values {
		if x, err := v.Double(); (err != nil || !put(few[:], k, x)) && c.uses(k) {
			return false
		}
	}
	if c.form == constantForm {
		for i := range end - from {
			to[i*stride] = few[0]
		}
		return true
	}
	for i, k := range c.index[from:end] {
		to[i*stride] = few[k&(memoTexts-1)]
	}
	return true
}
