package data

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// Compact is an example whose features are pixels and whose label is a class. Its row is short: one byte for each
// pixel, and eight for the class. [DecodeRow] returns a MultiDataSet like any other.
//
// In the row of a Compact, a kind precedes each array: 0 for the form of [AppendRow], or
//
//	1, pixels: rank, extents u32 each, divisor f32, then a byte for each element, which is its value times the divisor
//	2, a class: the number of classes u32, the class u32; decoded it is [1, classes] and one-hot
type Compact struct {
	// Shape is the features' shape, without the dimension of the examples.
	Shape tensor.Shape
	// Pixels are the features times Divisor.
	Pixels  []uint8
	Divisor float32
	// Class is the index of the class, from 0 to Classes-1. If Classes is 0, there is no label.
	Class, Classes int
	// Meta holds the example's key, and LabelNames the names of the classes; nil if there are none.
	Meta, LabelNames []string
}

// The kinds of arrays in a row of version 3.
const (
	compactFloats = iota
	compactPixels
	compactClass
)

// maxCompactClasses limits the number of classes. The size of a row does not limit it.
const maxCompactClasses = 1 << 24

// AppendTo appends the example to b as a row for [DecodeRow] and [DecodeRows].
func (c *Compact) AppendTo(b []byte) []byte {
	size := 34 + 4*len(c.Shape) + len(c.Pixels)
	for _, s := range slices.Concat(c.Meta, c.LabelNames) {
		size += 4 + len(s)
	}
	b = append(slices.Grow(b, size), rowMagic, rowCompact, 1, compactPixels)
	b = appendCount(b, 1+len(c.Shape))
	b = binary.LittleEndian.AppendUint32(b, 1)
	for _, d := range c.Shape {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.Divisor))
	b = append(b, c.Pixels...)
	if c.Classes > 0 {
		b = append(b, 1, compactClass)
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Classes))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Class))
	} else {
		b = append(b, rowNil)
	}
	b = append(b, rowNil, rowNil, rowNil) // masks and weights
	return appendStrings(appendStrings(b, c.Meta), c.LabelNames)
}

// scaling returns the numbers for all values of a pixel.
func scaling(divisor float32) *[256]float32 {
	var s [256]float32
	for v := range s {
		s[v] = float32(v) / divisor
	}
	return &s
}

// compactArray reads an array of version 3, after its kind.
func (r *rowReader) compactArray(kind byte) *tensor.Dense {
	switch kind {
	case compactFloats:
		return r.array()
	case compactPixels:
		return r.pixels()
	case compactClass:
		classes, class := binary.LittleEndian.Uint32(r.take(4)), binary.LittleEndian.Uint32(r.take(4))
		if r.err == nil && (class >= classes || classes > maxCompactClasses) {
			r.err = fmt.Errorf("a row of data has the class %d of %d", class, classes)
		}
		if r.err != nil {
			return nil
		}
		a := tensor.New(1, int(classes))
		a.Data[class] = 1
		return a
	}
	if r.err == nil {
		r.err = fmt.Errorf("a row of data has an array of kind %d", kind)
	}
	return nil
}

func (r *rowReader) pixels() *tensor.Dense {
	rank, ok := r.count()
	if !ok {
		return nil
	}
	shape := make(tensor.Shape, rank)
	for i := range shape {
		shape[i] = int(binary.LittleEndian.Uint32(r.take(4)))
	}
	divisor := math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
	if r.err != nil {
		return nil
	}
	n, err := shape.CheckedSize(len(r.b))
	if err != nil {
		r.err = fmt.Errorf("a row of data of %d more bytes: %w", len(r.b), err)
		return nil
	}
	a := &tensor.Dense{Shape: shape, Data: make([]float32, n)}
	copyPixels(a.Data, r.take(n), scaling(divisor))
	return a
}

func copyPixels(to []float32, from []byte, by *[256]float32) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = by[v]
	}
}

// alikeCompact fills an array with the elements from rows that only differ in the elements. The array is at the same
// place in all rows, after its kind. alikeCompact returns the places where the elements begin and end, or false if a
// row is damaged.
func alikeCompact(kind byte, rows [][]byte, at int, out, first *tensor.Dense) (head, end int, ok bool) {
	n := len(first.Data)
	head = at + countSize(len(first.Shape)) + 4*len(first.Shape)
	switch kind {
	case compactFloats:
		for i, row := range rows {
			copyFloats(out.Data[i*n:(i+1)*n], row[head:])
		}
		return head, head + 4*n, true
	case compactPixels:
		by := scaling(math.Float32frombits(binary.LittleEndian.Uint32(rows[0][head:])))
		head += 4
		for i, row := range rows {
			copyPixels(out.Data[i*n:(i+1)*n], row[head:], by)
		}
		return head, head + n, true
	}
	head = at + 4
	clear(out.Data)
	for i, row := range rows {
		class := int(binary.LittleEndian.Uint32(row[head:]))
		if class >= n {
			return 0, 0, false
		}
		out.Data[i*n+class] = 1
	}
	return head, head + 4, true
}
