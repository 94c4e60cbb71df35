// Command gemm writes the micro-kernels of matrix products.
package main

import (
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	wide, narrow := simd.AVX512(), simd.AVX2("tileMasks")
	tile(wide, 12, "")
	tile(narrow, 6, "")
	for _, s := range []*simd.ISA{wide, narrow} {
		transpose(s)
		copyRows(s)
		vector(s)
		columns(s)
		strips(s)
	}
	tile(wide, 12, "Pairs")
	pairRows(wide)
	pairNeighbours(wide)
	multiplyAMX()
	packAMX()
	Generate()
	if err := encodePairs(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
