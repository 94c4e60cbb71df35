//go:build arm64 && !noasm

package pool

import "github.com/dl4go/dl4go/internal/kernel"

// choose uses the assembly kernels for windows of 2 by 2 cells that neither overlap nor leave the image, if a row of
// windows fills a vector.
func choose(v kernel.Variant, g Geometry) operations {
	if v != kernel.NEON || !g.halves() || g.OutW < 4 || g.OutH == 0 {
		return portable
	}
	return operations{
		max:         forward(maxNEON),
		maxGrad:     maxGradient(maxGradNEON),
		average:     forward(averageNEON),
		averageGrad: averageGradient(averageGradNEON),
	}
}
