package data

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/dl4go/dl4go/tensor"
)

// ExampleRows returns a row for each example of m, as [AppendRow] makes it. The rows may share a block of memory.
func ExampleRows(m *MultiDataSet) [][]byte {
	n := m.Examples()
	rows := make([][]byte, n)
	alike := m.Meta == nil && n > 1
	for _, a := range m.arrays() {
		alike = alike && a.Rows() == n
	}
	if !alike {
		for i := range rows {
			rows[i] = AppendRow(nil, m.Slice(i, i+1))
		}
		return rows
	}
	first := AppendRow(nil, m.Slice(0, 1))
	size := len(first)
	block := make([]byte, 0, n*size)
	for i := range rows {
		block = append(block, first...)
		rows[i] = block[i*size : (i+1)*size : (i+1)*size]
	}
	at := 2
	for _, list := range m.lists() {
		if at++; list != nil {
			at += countSize(len(list)) - 1
		}
		for _, a := range list {
			if at++; a == nil {
				continue
			}
			at += countSize(len(a.Shape)) - 1 + 4*len(a.Shape)
			width := len(a.Data) / n
			for i, row := range rows[1:] {
				appendFloats(row[at:at], a.Data[(i+1)*width:(i+2)*width])
			}
			at += 4 * width
		}
	}
	return rows
}

// DecodeRows reads rows of [AppendRow] into one minibatch, in order, as [Merge] would. There must be at least one row.
// The result shares no memory with the rows.
func DecodeRows(rows [][]byte) (*MultiDataSet, error) { return DecodeRowsInto(nil, rows) }

// DecodeRowsInto is DecodeRows with memory of the arrays of spent, a minibatch that nobody uses any more, where it is
// large enough. spent may be nil.
func DecodeRowsInto(spent *MultiDataSet, rows [][]byte) (*MultiDataSet, error) {
	first, err := DecodeRow(rows[0])
	if err != nil || len(rows) == 1 {
		return first, err
	}
	if spent == nil {
		spent = &MultiDataSet{}
	}
	if m := decodeAlike(first, spent, rows); m != nil {
		return m, nil
	}
	parts := make([]*MultiDataSet, len(rows))
	for i, row := range rows {
		if parts[i], err = DecodeRow(row); err != nil {
			return nil, err
		}
	}
	return Merge(parts)
}

// decodeAlike copies the rows' elements directly to the minibatch if the rows differ from the first only in them;
// otherwise it returns nil.
func decodeAlike(first, spent *MultiDataSet, rows [][]byte) *MultiDataSet {
	model := rows[0]
	for _, l := range first.Labels {
		if l != nil && l.Rows() != first.Examples() {
			return nil
		}
	}
	for _, row := range rows {
		if first.Meta != nil || len(row) != len(model) {
			return nil
		}
	}
	at, same := 2, 0 // starts of the next list, and of the bytes since the last elements
	alike, compact := true, model[1] == rowCompact
	list := func(l, spent []*tensor.Dense) []*tensor.Dense {
		if !alike {
			return nil
		}
		if l == nil {
			at++
			return nil
		}
		at += countSize(len(l))
		out := make([]*tensor.Dense, len(l))
		for k, a := range l {
			kind := byte(compactFloats)
			if compact {
				kind = model[at]
				at++
			}
			if a == nil {
				at++
				continue
			}
			shape := a.Shape.Clone()
			shape[0] *= len(rows)
			out[k] = arrayIn(spent, k, shape)
			head, end, ok := alikeCompact(kind, rows, at, out[k], a)
			if alike = alike && ok; !alike {
				return out
			}
			for _, row := range rows {
				alike = alike && bytes.Equal(row[same:head], model[same:head])
			}
			at, same = end, end
		}
		return out
	}
	m := &MultiDataSet{Features: list(first.Features, spent.Features), Labels: list(first.Labels, spent.Labels),
		FeatureMasks: list(first.FeatureMasks, spent.FeatureMasks), LabelMasks: list(first.LabelMasks, spent.LabelMasks),
		LabelNames: first.LabelNames}
	if w := first.lists()[4:]; len(w) > 0 {
		m.Weights = list(w[0], []*tensor.Dense{spent.Weights})[0]
	} else if compact {
		at++ // there are none
	}
	for _, row := range rows {
		alike = alike && bytes.Equal(row[same:], model[same:])
	}
	if !alike {
		return nil
	}
	return m
}

// arrayIn makes an array of any elements, in the memory of array k of spent if that is large enough.
func arrayIn(spent []*tensor.Dense, k int, shape tensor.Shape) *tensor.Dense {
	if n := shape.Size(); k < len(spent) && spent[k] != nil && cap(spent[k].Data) >= n {
		return &tensor.Dense{Shape: shape, Data: spent[k].Data[:n]}
	}
	return tensor.New(shape...)
}

// copyFloats fills x from little-endian bytes.
func copyFloats(x []float32, from []byte) {
	if littleEndian {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x)), from)
		return
	}
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:]))
	}
}

// SameShapes reports whether both have the same arrays and masks, with the same shapes apart from the number of
// examples. [Merge] then neither pads them nor adds a mask.
func SameShapes(m, o *MultiDataSet) bool {
	same := func(a, b *tensor.Dense) bool {
		return a == nil && b == nil || a != nil && b != nil && slices.Equal(a.Shape[1:], b.Shape[1:])
	}
	return slices.EqualFunc(m.Features, o.Features, same) && slices.EqualFunc(m.Labels, o.Labels, same) &&
		slices.EqualFunc(m.FeatureMasks, o.FeatureMasks, same) && slices.EqualFunc(m.LabelMasks, o.LabelMasks, same) &&
		(m.Weights == nil) == (o.Weights == nil) && (m.Meta == nil) == (o.Meta == nil)
}
