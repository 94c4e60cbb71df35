package tensor

import (
	"encoding/binary"
	"math"
	"unsafe"
)

var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

// AppendBytes appends the elements as little-endian IEEE 754, four bytes each.
func AppendBytes(b []byte, x []float32) []byte {
	if littleEndian {
		return append(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))...)
	}
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// FromBytes fills x from bytes of AppendBytes. b must hold at least 4·len(x) bytes.
func FromBytes(x []float32, b []byte) {
	b = b[:4*len(x)]
	if littleEndian {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x)), b)
		return
	}
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

// Floats returns bytes of AppendBytes as elements: in the same memory where the machine allows, else a copy. Callers
// only read it. Bytes that don't fill the last element are left out.
func Floats(b []byte) []float32 {
	n := len(b) / 4
	if p := unsafe.Pointer(unsafe.SliceData(b)); littleEndian && uintptr(p)%4 == 0 {
		return unsafe.Slice((*float32)(p), n)
	}
	x := make([]float32, n)
	FromBytes(x, b)
	return x
}

// Bytes gives the elements in bytes, with x's spare capacity behind them: the same memory where the machine allows,
// else a copy. Callers no longer use x.
func Bytes(x []float32) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*cap(x))[:4*len(x)]
	}
	return AppendBytes(nil, x)
}
