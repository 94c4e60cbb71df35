package threshold

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian says that words in memory are as they are on the wire.
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

// ReadWords fills the words with what AppendWords wrote. It panics where b is not that long.
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

// inBytes returns the words' memory.
func inBytes(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
