package analysis

import (
	"math"
	"math/bits"
)

// distinct estimates the number of distinct values by HyperLogLog (Flajolet et al., 2007). It depends on the values
// only, not on their order or frequency. With 2^14 registers its standard error is 1.04/√(2^14).
type distinct struct{ registers [1 << distinctBits]uint8 }

const distinctBits = 14

// distinctError is the standard error of an estimate.
const distinctError = 1.04 / 128

func newDistinct() *distinct { return &distinct{} }

// add adds a value, or the hash of one.
func (d *distinct) add(value uint64) {
	h := scramble(value)
	at := h >> (64 - distinctBits)
	rank := uint8(bits.LeadingZeros64(h<<distinctBits|1<<(distinctBits-1)) + 1)
	d.registers[at] = max(d.registers[at], rank)
}

func (d *distinct) merge(o *distinct) {
	for i, r := range o.registers {
		d.registers[i] = max(d.registers[i], r)
	}
}

func (d *distinct) estimate() int64 {
	m, inverse, empty := float64(len(d.registers)), 0.0, 0
	for _, r := range d.registers {
		inverse += math.Ldexp(1, -int(r))
		if r == 0 {
			empty++
		}
	}
	e := 0.7213 / (1 + 1.079/m) * m * m / inverse
	if e <= 2.5*m && empty > 0 {
		e = m * math.Log(m/float64(empty))
	}
	return int64(math.Round(e))
}

// scramble mixes the bits of a value: the finalizer of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashText is 64-bit FNV-1a.
func hashText(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// mergeDistinct merges the sketches of two columns. At least one has a sketch; for the other, its function yields the
// values.
func mergeDistinct(a, b *distinct, eachOfA, eachOfB func(func(uint64))) *distinct {
	into := newDistinct()
	for _, side := range []struct {
		d    *distinct
		each func(func(uint64))
	}{{a, eachOfA}, {b, eachOfB}} {
		if side.d != nil {
			into.merge(side.d)
		} else {
			side.each(into.add)
		}
	}
	return into
}
