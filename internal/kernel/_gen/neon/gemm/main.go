// Command gemm writes the micro-kernels of matrix products for arm64.
package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

func main() {
	f := neon.New("words")
	tile(f, 12)
	transpose(f)
	copyRows(f)
	vector(f)
	columns(f)
	f.Generate()
}
