//go:build !amd64 || noasm

package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// run multiplies the tiles.
func (t *amxTiles) run(kernel.Variant) { t.runPortable() }

// packTiles packs n tiles of a side.
func packTiles(_ kernel.Variant, s *side, dst []float32, dstStep int, src []float32, srcStep, ld, n int) {
	packTilesPortable(s, dst, dstStep, src, srcStep, ld, n)
}
