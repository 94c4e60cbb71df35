package parquet

import "github.com/dl4go/dl4go/pipeline"

// maxNumbers limits the entries of a dictionary of numbers that batches refer to. The rows of a larger one have their
// numbers.
const maxNumbers = 1 << 16

// hasNumbers reports whether batches may have the column's values as entries of a dictionary of numbers.
func (c Column) hasNumbers() bool {
	switch c.Type {
	case pipeline.IntegerType, pipeline.LongType, pipeline.TimeType, pipeline.FloatType, pipeline.DoubleType:
		return c.form == scalar
	}
	return false
}

// dictionary returns the dictionary of all values that were read, or nil if they have none in common.
func (c *columnReader) dictionary(l *leafReader) *pipeline.Dictionary {
	if n := len(l.values.entries); n == 0 || n < l.pos.values() || l.dictSize > maxNumbers || l.dict == nil {
		return nil
	}
	if l.shared == nil {
		l.shared = c.numbersOf(l)
		l.values.noted = l.shared != nil
	}
	return l.shared
}

// numbersOf converts the entries of a leaf's dictionary. It returns nil if one of them can't be a value of the column.
func (c *columnReader) numbersOf(l *leafReader) *pipeline.Dictionary {
	one := leafReader{chunk: chunk{leaf: l.leaf}, values: *l.dict}
	if c.Type == pipeline.FloatType || c.Type == pipeline.DoubleType {
		x := make([]float64, l.dictSize)
		for i := range x {
			x[i] = one.number(i)
			if c.Type == pipeline.FloatType {
				x[i] = float64(float32(x[i]))
			}
		}
		if c.Type == pipeline.FloatType {
			return pipeline.NewReals(pipeline.FloatKind, x)
		}
		return pipeline.NewReals(pipeline.DoubleKind, x)
	}
	n := make([]int64, l.dictSize)
	for i := range n {
		var err error
		switch c.Type {
		case pipeline.IntegerType:
			n[i] = int64(one.values.i32[i])
		case pipeline.TimeType:
			n[i] = one.millis(i)
		default:
			n[i], err = one.long(i)
		}
		if err != nil {
			return nil
		}
	}
	if c.Type == pipeline.IntegerType {
		return pipeline.NewIntegers(pipeline.IntegerKind, n)
	}
	return pipeline.NewIntegers(pipeline.LongKind, n)
}
