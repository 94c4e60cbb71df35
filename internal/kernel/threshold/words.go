package threshold

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian says that words have the same bytes in memory and on the wire.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// AppendWords appends a bitmap's words, four bytes each in little-endian order.
func AppendWords(dst []byte, words []uint32) []byte {
	if littleEndian {
		return append(dst, inBytes(words)...)
	}
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	return dst
}

// ReadWords reads words written by AppendWords. It panics if b has the wrong length.
func ReadWords(words []uint32, b []byte) {
	mustMatch(len(b), 4*len(words))
	if littleEndian {
		copy(inBytes(words), b)
		return
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
}

// inBytes returns the words' memory as bytes.
func inBytes(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
