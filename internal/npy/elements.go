package npy

import (
	"encoding/binary"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// widths are the sizes of elements in bytes, by type.
var widths = map[string]int{"b1": 1, "u1": 1, "i1": 1, "u2": 2, "i2": 2, "f2": 2, "u4": 4, "i4": 4, "f4": 4, "u8": 8,
	"i8": 8,
	"f8": 8}

// decode reads elements. It returns the index of a finite double that float32 can't hold, or -1.
func decode(kind string, order binary.ByteOrder, b []byte, to []float32) (bad int) {
	if order == binary.LittleEndian {
		return decodeIn(kind, binary.LittleEndian, b, to)
	}
	return decodeIn(kind, binary.BigEndian, b, to)
}

// decodeIn is decode for one order, so that its methods are inlined.
func decodeIn[O binary.ByteOrder](kind string, order O, b []byte, to []float32) (bad int) {
	switch kind {
	case "b1", "u1":
		for i := range to {
			to[i] = float32(b[i])
		}
	case "i1":
		for i := range to {
			to[i] = float32(int8(b[i]))
		}
	case "f2":
		for i := range to {
			to[i] = dl4j.FromHalf(order.Uint16(b[2*i:]))
		}
	case "u2":
		for i := range to {
			to[i] = float32(order.Uint16(b[2*i:]))
		}
	case "i2":
		for i := range to {
			to[i] = float32(int16(order.Uint16(b[2*i:])))
		}
	case "f4":
		for i := range to {
			to[i] = math.Float32frombits(order.Uint32(b[4*i:]))
		}
	case "u4":
		for i := range to {
			to[i] = float32(order.Uint32(b[4*i:]))
		}
	case "i4":
		for i := range to {
			to[i] = float32(int32(order.Uint32(b[4*i:])))
		}
	case "u8":
		for i := range to {
			to[i] = float32(order.Uint64(b[8*i:]))
		}
	case "i8":
		for i := range to {
			to[i] = float32(int64(order.Uint64(b[8*i:])))
		}
	case "f8":
		for i := range to {
			x := math.Float64frombits(order.Uint64(b[8*i:]))
			to[i] = float32(x)
			if math.IsInf(float64(to[i]), 0) && !math.IsInf(x, 0) {
				return i
			}
		}
	}
	return -1
}

func float64At(order binary.ByteOrder, b []byte, i int) float64 {
	return math.Float64frombits(order.Uint64(b[8*i:]))
}
