package random

// Words returns the two 32-bit keys of block number block of a stream. A block is 2³² consecutive indices.
func Words(seed, block uint64) (k0, k1 uint32) {
	k := Mix(seed, block)
	return uint32(k), uint32(k >> 32)
}

// Uniform returns element index of the stream seed, uniform on [0, 1) in steps of 2⁻²⁴.
//
// It is a hash of the index under the block's keys: three rounds of xor-shift and multiplication with the constants of
// "triple32" (C. Wellons, hash-prospector). The second key enters after the first round, so that two streams are not
// the same sequence shifted. All of it is 32-bit arithmetic, for the vector kernels.
func Uniform(seed, index uint64) float32 {
	k0, k1 := Words(seed, index>>32)
	return uniform(uint32(index), k0, k1)
}

func uniform(x, k0, k1 uint32) float32 {
	x += k0
	x = (x ^ x>>17) * 0xed5ad4bb
	x ^= k1
	x = (x ^ x>>11) * 0xac4c1b51
	x = (x ^ x>>15) * 0x31848bab
	x ^= x >> 14
	return float32(x>>8) * (1.0 / (1 << 24))
}
