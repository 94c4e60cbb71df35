//go:build amd64 && !noasm

package pool

import "github.com/dl4go/dl4go/internal/kernel"

// choose uses the assembly kernels for windows of 2 by 2 cells that neither overlap nor leave the image.
func choose(v kernel.Variant, g Geometry) operations {
	halves := g.halves()
	switch {
	case halves && v == kernel.AVX512:
		return operations{
			max:         forward(maxAVX512),
			maxGrad:     maxGradient(maxGradAVX512),
			average:     forward(averageAVX512),
			averageGrad: averageGradient(averageGradAVX512),
		}
	case halves && v == kernel.AVX2:
		return operations{
			max:         forward(maxAVX2),
			maxGrad:     maxGradient(maxGradAVX2),
			average:     forward(averageAVX2),
			averageGrad: averageGradient(averageGradAVX2),
		}
	}
	return portable
}
