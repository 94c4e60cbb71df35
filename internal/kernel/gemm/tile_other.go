//go:build !amd64 || noasm

package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// Run computes the tile.
func (t *Tile) Run(kernel.Variant) { t.runPortable() }

// Transpose copies src [rows, cols] with row stride srcRow to dst [cols, rows] with row stride dstRow.
func Transpose(_ kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	transposePortable(dst, dstRow, src, srcRow, rows, cols)
}
