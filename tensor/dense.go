package tensor

import "fmt"

// Dense is a contiguous float32 array in C order (the last dimension varies fastest). Whoever holds a Dense shares
// its Data; Clone makes an independent copy.
type Dense struct {
	Shape Shape
	Data  []float32
}

// New returns an array of zeros.
func New(shape ...int) *Dense {
	s := Shape(shape).Clone()
	return &Dense{Shape: s, Data: make([]float32, s.Size())}
}

// Of returns an array of the given shape with data as its elements, in C order. It does not copy data. It fails if data
// does not have as many elements as the shape.
func Of(data []float32, shape ...int) (*Dense, error) {
	s := Shape(shape).Clone()
	if n := s.Size(); n != len(data) {
		return nil, fmt.Errorf("%d values do not fill the shape %v of %d", len(data), s, n)
	}
	return &Dense{Shape: s, Data: data}, nil
}

// MustOf is [Of] for data that certainly fits the shape, such as literals. It panics if it does not.
func MustOf(data []float32, shape ...int) *Dense {
	d, err := Of(data, shape...)
	if err != nil {
		panic(err)
	}
	return d
}

// Clone returns an independent copy.
func (d *Dense) Clone() *Dense {
	return &Dense{Shape: d.Shape.Clone(), Data: append([]float32(nil), d.Data...)}
}

// Rows returns the extent of the first dimension: the number of examples in a minibatch. A scalar has one row.
func (d *Dense) Rows() int {
	if len(d.Shape) == 0 {
		return 1
	}
	return d.Shape[0]
}

// RowSize returns the number of elements of one row.
func (d *Dense) RowSize() int {
	if len(d.Shape) == 0 {
		return 1
	}
	return d.Shape[1:].Size()
}

// Slice returns the rows [from, to). It shares the data. It panics if there are not that many rows, even if the data
// has spare capacity.
func (d *Dense) Slice(from, to int) *Dense {
	s := d.Shape.Clone()
	s[0] = to - from
	n := d.RowSize()
	data := d.Data[:len(d.Data):len(d.Data)]
	return &Dense{Shape: s, Data: data[from*n : to*n : to*n]}
}
