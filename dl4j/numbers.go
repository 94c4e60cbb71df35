package dl4j

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// The types of arrays of statistics, not of parameters.
const (
	Double DataType = "DOUBLE"
	Long   DataType = "LONG"
)

// extras of the shape information, by type
var extras = map[DataType]int64{Double: 0x4000, Long: 0x40000}

// Numbers reads an array of type DOUBLE or LONG without loss: as doubles, which represent integers up to 2⁵³. The
// array must be in C order.
func (r *Reader) Numbers() (tensor.Shape, []float64, DataType, error) {
	info, err := r.shapeInfo()
	if err != nil {
		return nil, nil, "", err
	}
	if !slices.IsSortedFunc(info.memory, func(i, j int) int { return j - i }) {
		return nil, nil, "", r.Errorf("an array of statistics that is not in C order")
	}
	if err := r.Expect(allocationMode, "an Nd4j data buffer"); err != nil {
		return nil, nil, "", err
	}
	length, err := r.Int64()
	if err != nil {
		return nil, nil, "", err
	}
	start := r.offset
	name, err := r.UTF()
	if err != nil {
		return nil, nil, "", err
	}
	kind := DataType(name)
	if extras[kind] == 0 {
		return nil, nil, "", formatErrorf(start, "an array of statistics of the type %q: DOUBLE or LONG is expected",
			shorten(name))
	}
	limit := int64(1) << 20
	if left := r.Remaining(); left >= 0 {
		limit = left / 8
	}
	n, err := info.shape.CheckedSize(int(limit))
	if err != nil {
		return nil, nil, "", r.Errorf("an array of type %s: %v, and %d bytes follow", name, err, r.Remaining())
	}
	if int64(n) != length {
		return nil, nil, "", r.Errorf("an array of shape %v with %d elements", info.shape, length)
	}
	data := make([]float64, n)
	b := make([]byte, 8)
	for i := range data {
		if err := r.Full(b); err != nil {
			return nil, nil, "", err
		}
		bits := binary.BigEndian.Uint64(b)
		data[i] = math.Float64frombits(bits)
		if kind == Long {
			data[i] = float64(int64(bits))
		}
	}
	return info.shape, data, kind, nil
}

// Numbers writes an array of type DOUBLE or LONG in the form of Nd4j.write, in C order. It must have elements.
func (w *Writer) Numbers(shape tensor.Shape, data []float64, kind DataType) {
	w.shapeInfo(shape, C, extras[kind])
	w.UTF(allocationMode)
	w.Int64(int64(len(data)))
	w.UTF(string(kind))
	for _, x := range data {
		if kind == Long {
			w.Int64(int64(x))
		} else {
			w.Float64(x)
		}
	}
}
