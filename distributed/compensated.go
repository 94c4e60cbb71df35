package distributed

import (
	"encoding/binary"
	"fmt"
	"math"
)

// compensated is a sum with its rounding error (Neumaier 1974).
type compensated struct {
	sum, left float64
	n         int64
}

func (c *compensated) add(x float64) {
	t := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.left += (c.sum - t) + x
	} else {
		c.left += (x - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) merge(o compensated) {
	c.add(o.sum)
	c.left += o.left
	c.n += o.n
}

func (c *compensated) value() float64 {
	if math.IsNaN(c.left) { // the difference of infinities is NaN
		return c.sum
	}
	return c.sum + c.left
}

func (c *compensated) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(c.n))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.sum))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(c.left))
}

// compensatedSize is the number of bytes that append adds.
const compensatedSize = 24

func readCompensated(b []byte) (c compensated, err error) {
	if len(b) != compensatedSize {
		return c, fmt.Errorf("a row of %d bytes is not a sum of scores", len(b))
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return compensated{n: int64(at(0)), sum: math.Float64frombits(at(1)), left: math.Float64frombits(at(2))}, nil
}
