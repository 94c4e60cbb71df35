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

// AppendBytes appends the elements to b, four bytes each: little-endian IEEE 754.
func AppendBytes(b []byte, x []float32) []byte {
	if littleEndian {
		return append(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))...)
	}
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// FromBytes fills x from bytes of [AppendBytes]. b must have at least 4·len(x) bytes.
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

// Floats reads bytes of [AppendBytes] as elements. The result shares the memory of b if the machine allows that, so do
// not write to it. It leaves out up to three bytes at the end that do not make an element.
func Floats(b []byte) []float32 {
	n := len(b) / 4
	if p := unsafe.Pointer(unsafe.SliceData(b)); littleEndian && uintptr(p)%4 == 0 {
		return unsafe.Slice((*float32)(p), n)
	}
	x := make([]float32, n)
	FromBytes(x, b)
	return x
}

// Bytes returns the elements as bytes, as [AppendBytes] writes them. The result has the memory of x, including its
// spare capacity, if the machine allows that. Do not use x afterwards.
func Bytes(x []float32) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*cap(x))[:4*len(x)]
	}
	return AppendBytes(nil, x)
}
