package data

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/dl4go/dl4go/tensor"
)

// A row is a MultiDataSet in bytes, as engines move them between workers of one job; it is no file format and may
// change. Everything is little-endian:
//
//	'R', the version: 1, or 2 where there are weights
//	lists (features, labels, feature masks, label masks, weights in version 2): count, or 255 for nil; then each array:
//	    rank, a count too, or 255 for nil; extents u32 each; elements f32 each
//	a count is a u8 below 254, or 254 and a u32
//	two lists of strings (metadata, label names): count u32 + 1, or 0 for nil; then each: length u32, bytes

const (
	rowMagic    = 'R'
	rowVersion  = 1
	rowWeighted = 2 // the version with weights
	rowCompact  = 3 // the version with pixels, classes and weights: see Compact
	rowNil      = 255
	rowMany     = 254
)

var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

// AppendRow appends a minibatch of any number of examples to b, in the binary form that engines move between workers.
// The form is not for files: it may change in another version. [DecodeRow] and [DecodeRows] read it.
func AppendRow(b []byte, m *MultiDataSet) []byte {
	if cap(b)-len(b) < rowSize(m) {
		b = append(make([]byte, 0, len(b)+rowSize(m)), b...)
	}
	b = append(b, rowMagic, rowVersion+byte(len(m.lists())-4))
	for _, list := range m.lists() {
		if list == nil {
			b = append(b, rowNil)
			continue
		}
		b = appendCount(b, len(list))
		for _, a := range list {
			b = appendRowArray(b, a)
		}
	}
	return appendStrings(appendStrings(b, m.Meta), m.LabelNames)
}

func appendStrings(b []byte, list []string) []byte {
	if list == nil {
		return binary.LittleEndian.AppendUint32(b, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)+1))
	for _, s := range list {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// lists returns the arrays of a row.
func (m *MultiDataSet) lists() [][]*tensor.Dense {
	all := [][]*tensor.Dense{m.Features, m.Labels, m.FeatureMasks, m.LabelMasks}
	if m.Weights != nil {
		all = append(all, []*tensor.Dense{m.Weights})
	}
	return all
}

// rowSize is the number of bytes that AppendRow appends.
func rowSize(m *MultiDataSet) int {
	n := 2 + 8
	for _, list := range m.lists() {
		n += countSize(len(list))
		for _, a := range list {
			n++
			if a != nil {
				n += countSize(len(a.Shape)) - 1 + 4*len(a.Shape) + 4*len(a.Data)
			}
		}
	}
	for _, list := range [][]string{m.Meta, m.LabelNames} {
		for _, s := range list {
			n += 4 + len(s)
		}
	}
	return n
}

func appendCount(b []byte, n int) []byte {
	if n < rowMany {
		return append(b, byte(n))
	}
	return binary.LittleEndian.AppendUint32(append(b, rowMany), uint32(n))
}

// countSize is the number of bytes that appendCount appends.
func countSize(n int) int {
	if n < rowMany {
		return 1
	}
	return 5
}

func appendRowArray(b []byte, a *tensor.Dense) []byte {
	if a == nil {
		return append(b, rowNil)
	}
	b = appendCount(b, len(a.Shape))
	for _, d := range a.Shape {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
	}
	return appendFloats(b, a.Data)
}

func appendFloats(b []byte, x []float32) []byte {
	if littleEndian {
		return append(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))...)
	}
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// DecodeRow reads a row of [AppendRow]. The minibatch shares no memory with b. Damaged bytes are an error.
func DecodeRow(b []byte) (*MultiDataSet, error) {
	r := rowReader{b: b}
	head := r.take(2)
	if r.err == nil && (head[0] != rowMagic || head[1] < rowVersion || head[1] > rowCompact) {
		return nil, fmt.Errorf("these bytes are not a row of data of version %d to %d", rowVersion, rowCompact)
	}
	r.compact = head[1] == rowCompact
	m := &MultiDataSet{
		Features: r.arrays(), Labels: r.arrays(), FeatureMasks: r.arrays(), LabelMasks: r.arrays(),
	}
	if head[1] >= rowWeighted {
		m.Weights = r.weights()
	}
	m.Meta, m.LabelNames = r.strings(), r.strings()
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("a row of data has %d bytes too many", len(r.b))
	}
	if r.err == nil {
		r.err = m.Validate()
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

type rowReader struct {
	b       []byte
	compact bool // the row has version 3
	err     error
}

// take returns the next n bytes, or zeros after the end.
func (r *rowReader) take(n int) []byte {
	if r.err == nil && n > len(r.b) {
		r.err = fmt.Errorf("a row of data ends %d bytes too early", n-len(r.b))
	}
	if r.err != nil {
		return make([]byte, min(n, 4))
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

// count reads a count of things that take at least a byte each; ok is false for nil.
func (r *rowReader) count() (n int, ok bool) {
	n = int(r.take(1)[0])
	if n == rowMany {
		n = int(binary.LittleEndian.Uint32(r.take(4)))
	} else if n == rowNil {
		return 0, false
	}
	if r.err == nil && n > len(r.b) {
		r.err = fmt.Errorf("a row of data ends before its %d arrays or extents", n)
	}
	return n, r.err == nil
}

func (r *rowReader) arrays() []*tensor.Dense {
	n, ok := r.count()
	if !ok {
		return nil
	}
	list := make([]*tensor.Dense, n)
	for i := range list {
		if r.compact {
			list[i] = r.compactArray(r.take(1)[0])
		} else {
			list[i] = r.array()
		}
	}
	return list
}

// weights reads a list of one array.
func (r *rowReader) weights() *tensor.Dense {
	list := r.arrays()
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 && r.err == nil {
		r.err = fmt.Errorf("a row of data has %d arrays of weights, not one", len(list))
	}
	return list[0]
}

func (r *rowReader) array() *tensor.Dense {
	rank, ok := r.count()
	if !ok {
		return nil
	}
	shape := make(tensor.Shape, rank)
	for i := range shape {
		shape[i] = int(binary.LittleEndian.Uint32(r.take(4)))
	}
	if r.err != nil {
		return nil
	}
	n, err := shape.CheckedSize(len(r.b) / 4)
	if err != nil {
		r.err = fmt.Errorf("a row of data of %d more bytes: %w", len(r.b), err)
		return nil
	}
	a := &tensor.Dense{Shape: shape, Data: make([]float32, n)}
	from := r.take(4 * n)
	if littleEndian {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.Data))), 4*n), from)
		return a
	}
	for i := range a.Data {
		a.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:]))
	}
	return a
}

func (r *rowReader) strings() []string {
	n := int(binary.LittleEndian.Uint32(r.take(4)))
	if n == 0 || r.err != nil {
		return nil
	}
	if n-1 > len(r.b)/4 {
		r.err = fmt.Errorf("a row of data ends before its %d strings", n-1)
		return nil
	}
	list := make([]string, n-1)
	for i := range list {
		list[i] = string(r.take(int(binary.LittleEndian.Uint32(r.take(4)))))
	}
	return list
}
