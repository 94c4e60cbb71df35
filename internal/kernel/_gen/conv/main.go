// Command conv writes the kernels of convolutions.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	wide, narrow := simd.AVX512(), simd.AVX2("masks")
	for _, s := range []*simd.ISA{wide, narrow} {
		gather(s)
		collect(s)
	}
	dot(wide, 5, 5)
	dot(narrow, 4, 3)
	window(wide, 12)
	window(narrow, 6)
	Generate()
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
