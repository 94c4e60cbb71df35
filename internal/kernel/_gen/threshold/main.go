// Command threshold writes the kernels of the threshold codec.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, s := range []*simd.ISA{simd.AVX512(), simd.AVX2("masks")} {
		find(s)
		count(s)
		encodeBitmap(s)
		encodeScaled(s)
		addBitmap(s)
		addTimes(s)
	}
	addEntries()
	unpackEntries(simd.AVX512())
	sums := sumsOfGaps()
	readGaps(sums, false)
	readGaps(sums, true)
	order := halvesOrder()
	packBitmap(order)
	unpackBitmap()
	countBitmap(order)
	countMarks(order)
	Generate()
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func address(name string) Mem {
	c, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// broadcast returns a vector of the scalar parameter.
func broadcast(s *simd.ISA, name string) reg.VecVirtual {
	v := s.Vec()
	VBROADCASTSS(address(name), v)
	return v
}

// allBits returns a vector with every bit set.
func allBits(s *simd.ISA) reg.VecVirtual {
	v := s.Vec()
	if s.Wide {
		VPTERNLOGD(U8(0xff), v, v, v)
	} else {
		VPCMPEQD(v, v, v)
	}
	return v
}

// signs returns a vector with the sign bit of every float set; magnitudes returns one with all others set.
func signs(s *simd.ISA) reg.VecVirtual {
	v := allBits(s)
	VPSLLD(U8(31), v, v)
	return v
}

func magnitudes(s *simd.ISA) reg.VecVirtual {
	v := allBits(s)
	VPSRLD(U8(1), v, v)
	return v
}

// and returns x & y.
func and(s *simd.ISA, x, y reg.VecVirtual) reg.VecVirtual {
	v := s.Vec()
	if s.Wide {
		VPANDD(x, y, v)
	} else {
		VPAND(x, y, v)
	}
	return v
}

// or returns x | y.
func or(s *simd.ISA, x, y reg.VecVirtual) reg.VecVirtual {
	v := s.Vec()
	if s.Wide {
		VPORD(x, y, v)
	} else {
		VPOR(x, y, v)
	}
	return v
}

// Predicates of comparisons. They are false for NaN.
const (
	lessEqual    = 0x12
	greaterEqual = 0x1d
)
