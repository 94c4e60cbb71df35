// Package random generates dl4go's random numbers. Every function is defined on integers, or on floating-point
// operations that IEEE 754 rounds in only one way, so that a seed gives the same bits on every platform.
//
// There are two kinds. Uniform is indexed: element i of a stream does not need its predecessors, so that dropout does
// not depend on which thread or worker draws. Source is sequential, for weight initialisation.
package random

import "math/bits"

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio: the step of a Weyl sequence

// scramble is the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014, with Stafford's 13th mix): a bijection in which every input bit flips half of the output bits.
func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Mix derives a seed from a seed and a number. Mix(a, b) and Mix(b, a) differ, 0 is as good as any other value, and
// for a fixed a, different b never give the same seed.
func Mix(a, b uint64) uint64 {
	return scramble(scramble(a+golden) ^ (b + bits.RotateLeft64(golden, 32)))
}
