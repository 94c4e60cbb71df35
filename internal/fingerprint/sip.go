package fingerprint

import (
	"encoding/binary"
	"math/bits"
)

// Sip returns the SipHash-2-4 of a text with a key, TensorFlow's string_to_hash_bucket_strong.
func Sip(key [2]uint64, text string) uint64 {
	s := sip{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
		key[1] ^ 0x7465646279746573}
	at := 0
	for ; at+8 <= len(text); at += 8 {
		s.add(word(text, at))
	}
	var last [8]byte
	copy(last[:], text[at:])
	last[7] = byte(len(text))
	s.add(binary.LittleEndian.Uint64(last[:]))
	s[2] ^= 0xff
	for range 4 {
		s.round()
	}
	return s[0] ^ s[1] ^ s[2] ^ s[3]
}

// sip is the state of SipHash.
type sip [4]uint64

func (s *sip) add(word uint64) {
	s[3] ^= word
	s.round()
	s.round()
	s[0] ^= word
}

func (s *sip) round() {
	s[0] += s[1]
	s[2] += s[3]
	s[1] = bits.RotateLeft64(s[1], 13) ^ s[0]
	s[3] = bits.RotateLeft64(s[3], 16) ^ s[2]
	s[0] = bits.RotateLeft64(s[0], 32)
	s[2] += s[1]
	s[0] += s[3]
	s[1] = bits.RotateLeft64(s[1], 17) ^ s[2]
	s[3] = bits.RotateLeft64(s[3], 21) ^ s[0]
	s[2] = bits.RotateLeft64(s[2], 32)
}
