// Package tensor holds dense float32 arrays and their shapes.
package tensor

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Shape is the extent of each dimension of a dense array, outermost first. A scalar has the empty shape.
type Shape []int

// Size returns the number of elements: the product of the extents, or 1 for a scalar.
func (s Shape) Size() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same rank and extents.
func (s Shape) Equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i, d := range s {
		if d != t[i] {
			return false
		}
	}
	return true
}

// Clone returns an independent copy.
func (s Shape) Clone() Shape { return append(Shape{}, s...) }

// String returns the shape as users write it: [64, 1, 28, 28].
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(d))
	}
	b.WriteByte(']')
	return b.String()
}

// CheckedSize is [Shape.Size] for extents that may be wrong, such as those of a file. It fails if an extent is
// negative, or if the size is above the limit.
func (s Shape) CheckedSize(limit int) (int, error) {
	n := 1
	for _, d := range s {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative extent", s)
		}
		high, product := bits.Mul64(uint64(n), uint64(d)) // without a division, which takes longer than the rest
		if high != 0 || product > uint64(max(limit, 0)) {
			return 0, fmt.Errorf("shape %v has more than %d elements", s, limit)
		}
		n = int(product)
	}
	return n, nil
}
