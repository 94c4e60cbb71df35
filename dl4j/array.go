package dl4j

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// DataType is the type of an array in a file. In memory, all arrays are float32.
type DataType string

// Float is the type of arrays that are read without a change. Arrays of other types become float32; those of DOUBLE,
// LONG and INT, signed or not, may lose digits.
const Float DataType = "FLOAT"

const (
	allocationMode = "MIXED_DATA_TYPES"
	longShape      = "LONG_SHAPE" // of 1.0.0-alpha to beta3
	maxRank        = 32
	emptyFlag      = 8 // in the extras of the shape information
)

// intLengths are the allocation modes of 0.9.1 and before, with lengths and shapes that are ints.
var intLengths = []string{"DIRECT", "HEAP", "JAVACPP"}

// elementType describes how a data type is stored.
type elementType struct {
	size   int
	decode func(dst []float32, src []byte)
}

var elementTypes = map[DataType]elementType{
	"FLOAT": {4, func(d []float32, b []byte) {
		for i := range d {
			d[i] = math.Float32frombits(binary.BigEndian.Uint32(b[4*i:]))
		}
	}},
	"DOUBLE": {8, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(math.Float64frombits(binary.BigEndian.Uint64(b[8*i:])))
		}
	}},
	"HALF": {2, func(d []float32, b []byte) {
		for i := range d {
			d[i] = FromHalf(binary.BigEndian.Uint16(b[2*i:]))
		}
	}},
	"BFLOAT16": {2, func(d []float32, b []byte) {
		for i := range d {
			d[i] = math.Float32frombits(uint32(binary.BigEndian.Uint16(b[2*i:])) << 16)
		}
	}},
	"LONG": {8, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(int64(binary.BigEndian.Uint64(b[8*i:])))
		}
	}},
	"INT": {4, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(int32(binary.BigEndian.Uint32(b[4*i:])))
		}
	}},
	"UINT64": {8, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(binary.BigEndian.Uint64(b[8*i:]))
		}
	}},
	"UINT32": {4, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(binary.BigEndian.Uint32(b[4*i:]))
		}
	}},
	"UINT16": {2, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(binary.BigEndian.Uint16(b[2*i:]))
		}
	}},
	"SHORT": {2, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(int16(binary.BigEndian.Uint16(b[2*i:])))
		}
	}},
	"BYTE": {1, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(int8(b[i]))
		}
	}},
	"UBYTE": {1, func(d []float32, b []byte) {
		for i := range d {
			d[i] = float32(b[i])
		}
	}},
	"BOOL": {1, func(d []float32, b []byte) {
		for i := range d {
			d[i] = 0
			if b[i] != 0 {
				d[i] = 1
			}
		}
	}},
}

// FromHalf converts an IEEE 754 half-precision number.
func FromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	case 0:
		x := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(x))
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// maxElements is the maximum number of elements of an array, so that its bytes can be counted. An updater's state with
// several numbers for each parameter can have more than 2³¹ elements.
const maxElements = math.MaxInt / 16

// shapeInfo is the first of an array's two buffers.
type shapeInfo struct {
	shape  tensor.Shape
	memory []int // dimensions of more than one element, the one that varies fastest first
	empty  bool  // marked as empty: some extent is 0, or a scalar has no value
	scalar bool  // of rank 0
}

// Shape reads the shape of an array, and stops before its elements.
func (r *Reader) Shape() (tensor.Shape, error) {
	info, err := r.shapeInfo()
	if info.scalar && info.empty {
		return tensor.Shape{0}, err
	}
	return info.shape, err
}

// Array reads an array in the form of Nd4j.write, also that of 0.9, of any type and any order of its dimensions
// (permuted arrays are written with their strides). It also returns the array's type. A vector in a file keeps its
// rank: [n] or [1, n]. An empty array has a dimension of extent 0; Nd4j.empty(), which has none, becomes [0].
func (r *Reader) Array() (*tensor.Dense, DataType, error) {
	info, err := r.shapeInfo()
	if err != nil {
		return nil, "", err
	}
	if info.scalar && info.empty {
		return &tensor.Dense{Shape: tensor.Shape{0}}, Float, nil // no elements follow, not even an empty buffer
	}
	_, length, err := r.bufferHeader("an Nd4j data buffer")
	if err != nil {
		return nil, "", err
	}
	start := r.offset
	name, err := r.UTF()
	if err != nil {
		return nil, "", err
	}
	t, ok := elementTypes[DataType(name)]
	switch {
	case name == "COMPRESSED":
		return nil, "", formatErrorf(start,
			"a compressed array: decompress it (Nd4j.getCompressor().decompressi) before it is saved")
	case !ok:
		return nil, "", formatErrorf(start, "an array of the unknown type %q", shorten(name))
	}
	limit := int64(maxElements)
	if left := r.Remaining(); left >= 0 {
		limit = left / int64(t.size)
	}
	n, err := info.shape.CheckedSize(int(limit))
	if err != nil {
		return nil, "", r.Errorf("an array of type %s: %v, and %d bytes follow", name, err, r.Remaining())
	}
	if int64(n) != length {
		return nil, "", r.Errorf("an array of shape %v with %d elements", info.shape, length)
	}
	a := &tensor.Dense{Shape: info.shape}
	if a.Data, err = r.elements(n, t); err != nil {
		return nil, "", err
	}
	if !slices.IsSortedFunc(info.memory, func(i, j int) int { return j - i }) {
		toRowMajor(a, info.memory)
	}
	return a, DataType(name), nil
}

// elements reads n elements in memory order. If the reader does not know how many bytes follow, the allocated memory
// doubles as they arrive.
func (r *Reader) elements(n int, t elementType) ([]float32, error) {
	have := n
	if r.size < 0 {
		have = min(n, 64<<10)
	}
	data := make([]float32, have)
	chunk := len(r.buf) / t.size
	for at := 0; at < n; {
		if at == len(data) {
			data = append(data, make([]float32, min(n-at, at))...)
		}
		k := min(chunk, len(data)-at)
		if err := r.Full(r.buf[:k*t.size]); err != nil {
			return nil, err
		}
		t.decode(data[at:at+k], r.buf[:k*t.size])
		at += k
	}
	return data, nil
}

// bufferHeader reads the beginning of a buffer up to its type: the allocation mode, and the number of elements. ints
// reports that the mode is one of those with lengths and shapes that are ints.
func (r *Reader) bufferHeader(kind string) (ints bool, length int64, err error) {
	start := r.offset
	mode, err := r.shortUTF(len(allocationMode))
	var f *FormatError
	switch {
	case err != nil && !errors.As(err, &f):
		return false, 0, err
	case err == nil && (mode == allocationMode || mode == longShape):
		length, err = r.Int64()
		return false, length, err
	case err == nil && slices.Contains(intLengths, mode):
		n, err := r.Int32()
		return true, int64(n), err
	}
	return false, 0, formatErrorf(start, "not %s: %q should be here", kind, allocationMode)
}

func (r *Reader) shapeInfo() (shapeInfo, error) {
	ints, length, err := r.bufferHeader("an Nd4j array")
	if err != nil {
		return shapeInfo{}, err
	}
	of, read := "LONG", r.Int64
	if ints {
		of, read = "INT", func() (int64, error) { n, err := r.Int32(); return int64(n), err }
	}
	if err := r.Expect(of, "an Nd4j array's shape"); err != nil {
		return shapeInfo{}, err
	}
	start := r.offset
	rank, err := read()
	if err != nil {
		return shapeInfo{}, err
	}
	if rank < 0 || rank > maxRank || length != 2*rank+4 {
		return shapeInfo{}, formatErrorf(start, "an array's shape of %d numbers for %d dimensions", length, rank)
	}
	rest := make([]int64, length-1)
	for i := range rest {
		if rest[i], err = read(); err != nil {
			return shapeInfo{}, err
		}
	}
	info := shapeInfo{shape: make(tensor.Shape, rank), empty: !ints && rest[2*rank]&emptyFlag != 0, scalar: rank == 0}
	for i := range info.shape {
		if rest[i] < 0 || rest[i] > maxElements {
			return shapeInfo{}, formatErrorf(start, "an array with the extent %d", rest[i])
		}
		info.shape[i] = int(rest[i])
	}
	if info.empty && rank > 0 {
		if _, err := info.shape.CheckedSize(0); err != nil {
			return shapeInfo{}, formatErrorf(start, "an array that is marked as empty, of shape %v", info.shape)
		}
	}
	if _, err := info.shape.CheckedSize(maxElements); err != nil && !slices.Contains(info.shape, 0) {
		return shapeInfo{}, r.Errorf("an array: %v", err)
	}
	if order := rest[2*rank+2]; order != 'c' && order != 'f' {
		return shapeInfo{}, formatErrorf(start, "an array of the unknown order %d: it should be 99 (c) or 102 (f)", order)
	}
	if info.empty || slices.Contains(info.shape, 0) {
		return info, nil
	}
	strides := rest[rank : 2*rank]
	for i, extent := range info.shape {
		if extent > 1 {
			info.memory = append(info.memory, i)
		}
	}
	slices.SortFunc(info.memory, func(i, j int) int { return cmp.Compare(strides[i], strides[j]) })
	dense := int64(1)
	for _, i := range info.memory {
		if strides[i] != dense {
			return shapeInfo{}, formatErrorf(start, "an array of shape %v with the strides %v: it is not dense",
				info.shape, strides)
		}
		dense *= int64(info.shape[i])
	}
	return info, nil
}

func denseStrides(shape tensor.Shape, order byte) []int64 {
	strides := make([]int64, len(shape))
	n := int64(1)
	for i := range shape {
		d := i
		if order == 'c' {
			d = len(shape) - 1 - i
		}
		strides[d] = n
		n *= int64(shape[d])
	}
	return strides
}

// toRowMajor rearranges a's elements from the order that memory describes to C order.
func toRowMajor(a *tensor.Dense, memory []int) {
	out := make([]float32, len(a.Data))
	index := make([]int, len(a.Shape))
	strides := denseStrides(a.Shape, 'c')
	at := 0
	for _, v := range a.Data {
		out[at] = v
		for _, d := range memory {
			index[d]++
			at += int(strides[d])
			if index[d] < a.Shape[d] {
				break
			}
			at -= index[d] * int(strides[d])
			index[d] = 0
		}
	}
	a.Data = out
}

// ReadArray is Reader.Array for a whole file or entry. Nothing may follow the array.
func ReadArray(in io.Reader, size int64) (*tensor.Dense, DataType, error) {
	r := NewReader(in, size)
	a, t, err := r.Array()
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, "", err
	}
	return a, t, nil
}

// Order is the order in which an array's elements are written.
type Order byte

const (
	C       Order = 'c' // the last dimension varies fastest
	Fortran Order = 'f' // the first dimension varies fastest
)
