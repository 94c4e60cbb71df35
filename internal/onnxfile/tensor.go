package onnxfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
)

// DataType is the type of a tensor's elements.
type DataType int32

// The types of elements.
const (
	Float    DataType = 1
	Uint8    DataType = 2
	Int8     DataType = 3
	Uint16   DataType = 4
	Int16    DataType = 5
	Int32    DataType = 6
	Int64    DataType = 7
	String   DataType = 8
	Bool     DataType = 9
	Float16  DataType = 10
	Double   DataType = 11
	Uint32   DataType = 12
	Uint64   DataType = 13
	Bfloat16 DataType = 16
)

var dataTypes = map[DataType]struct {
	name string
	size int
}{
	Float: {"FLOAT", 4}, Uint8: {"UINT8", 1}, Int8: {"INT8", 1}, Uint16: {"UINT16", 2}, Int16: {"INT16", 2},
	Int32: {"INT32", 4}, Int64: {"INT64", 8}, String: {"STRING", 0}, Bool: {"BOOL", 1}, Float16: {"FLOAT16", 2},
	Double: {"DOUBLE", 8}, Uint32: {"UINT32", 4}, Uint64: {"UINT64", 8}, Bfloat16: {"BFLOAT16", 2},
}

// String returns ONNX's name of the type.
func (t DataType) String() string {
	if d, ok := dataTypes[t]; ok {
		return d.name
	}
	return "type " + strconv.Itoa(int(t))
}

// Tensor is an array in C order. A tensor made for writing has its elements in F or I. A decoded one has them in the
// file's bytes; Floats and Ints read them.
type Tensor struct {
	Name string
	Type DataType
	Dims []int64

	F []float32 // FLOAT
	I []int64   // INT64

	raw      []byte    // little-endian
	floats   []float32 // FLOAT; FLOAT16 and BFLOAT16 are in ints
	doubles  []float64
	ints     []int64 // all integer types, BOOL, and the bits of FLOAT16
	external string  // the name of a file beside this one
}

// maxElements bounds a tensor. Its bytes bound it, too.
const maxElements = 1 << 31

// Size returns the number of elements, or an error if the dimensions are invalid.
func (t *Tensor) Size() (int, error) {
	n := int64(1)
	for _, d := range t.Dims {
		if d < 0 || d > maxElements || d > 0 && n > maxElements/d {
			return 0, fmt.Errorf("tensor %q has the dimensions %v, which no array has", t.Name, t.Dims)
		}
		n *= d
	}
	return int(n), nil
}

// check compares the elements with the dimensions, and returns their number.
func (t *Tensor) check() (int, error) {
	n, err := t.Size()
	if err != nil {
		return 0, err
	}
	if t.external != "" {
		return 0, fmt.Errorf("tensor %q has its data in another file, %q: put it into the model, with "+
			"onnx.save(onnx.load(model), new) in Python", t.Name, t.external)
	}
	have := max(len(t.F), len(t.I), len(t.floats), len(t.doubles), len(t.ints))
	if t.raw != nil {
		size := dataTypes[t.Type].size
		if size == 0 {
			return 0, fmt.Errorf("tensor %q has elements of %v, which are not read", t.Name, t.Type)
		}
		if len(t.raw)%size != 0 {
			return 0, fmt.Errorf("tensor %q of %v has %d bytes, which is not a whole number of elements", t.Name, t.Type,
				len(t.raw))
		}
		have = len(t.raw) / size
	}
	if have != n {
		return 0, fmt.Errorf("tensor %q has the dimensions %v and %d elements of %v", t.Name, t.Dims, have, t.Type)
	}
	return n, nil
}

// Floats returns the elements of a tensor of any type of numbers, in a new slice.
func (t *Tensor) Floats() ([]float32, error) {
	n, err := t.check()
	if err != nil {
		return nil, err
	}
	at, err := t.reader()
	if err != nil {
		return nil, err
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(at(i))
	}
	return out, nil
}

// Ints returns the elements of a tensor of whole numbers, in a new slice.
func (t *Tensor) Ints() ([]int64, error) {
	n, err := t.check()
	if err != nil {
		return nil, err
	}
	switch t.Type {
	case Int64, Int32, Int16, Int8, Uint8, Uint16, Uint32, Bool:
	default:
		return nil, fmt.Errorf("tensor %q has elements of %v; whole numbers should be here", t.Name, t.Type)
	}
	out := make([]int64, n)
	for i := range out {
		switch {
		case t.I != nil:
			out[i] = t.I[i]
		case t.raw != nil:
			out[i] = t.integer(i)
		default:
			out[i] = t.ints[i]
		}
	}
	return out, nil
}

// reader returns a function that reads element i.
func (t *Tensor) reader() (func(i int) float64, error) {
	whole := func(i int) float64 { return float64(t.ints[i]) }
	if t.raw != nil {
		whole = func(i int) float64 { return float64(t.integer(i)) }
	}
	bits := func(i int) uint64 { return uint64(t.ints[i]) }
	if t.raw != nil {
		bits = func(i int) uint64 { return uint64(t.integer(i)) }
	}
	switch t.Type {
	case Float:
		switch {
		case t.F != nil:
			return func(i int) float64 { return float64(t.F[i]) }, nil
		case t.raw != nil:
			return func(i int) float64 {
				return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.raw[4*i:])))
			}, nil
		}
		return func(i int) float64 { return float64(t.floats[i]) }, nil
	case Double:
		if t.raw != nil {
			return func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(t.raw[8*i:])) }, nil
		}
		return func(i int) float64 { return t.doubles[i] }, nil
	case Float16:
		return func(i int) float64 { return float64(dl4j.FromHalf(uint16(bits(i)))) }, nil
	case Bfloat16:
		return func(i int) float64 { return float64(math.Float32frombits(uint32(bits(i)) << 16)) }, nil
	case Int64:
		if t.I != nil {
			return func(i int) float64 { return float64(t.I[i]) }, nil
		}
		return whole, nil
	case Uint8, Int8, Uint16, Int16, Int32, Uint32, Bool:
		return whole, nil
	}
	return nil, fmt.Errorf("tensor %q has elements of %v; numbers should be here", t.Name, t.Type)
}

// integer returns element i of raw data.
func (t *Tensor) integer(i int) int64 {
	switch t.Type {
	case Int8:
		return int64(int8(t.raw[i]))
	case Uint8, Bool:
		return int64(t.raw[i])
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(t.raw[2*i:])))
	case Uint16, Float16, Bfloat16:
		return int64(binary.LittleEndian.Uint16(t.raw[2*i:]))
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(t.raw[4*i:])))
	case Uint32:
		return int64(binary.LittleEndian.Uint32(t.raw[4*i:]))
	}
	return int64(binary.LittleEndian.Uint64(t.raw[8*i:]))
}
