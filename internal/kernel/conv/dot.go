package conv

import "github.com/dl4go/dl4go/internal/kernel"

// dot is one call of the micro-kernel of filter gradients. Both operands are contiguous along the sum:
//
//	C[r*CRow + c] = Beta*C[r*CRow + c] + Σ_{g < Groups} Σ_{i < N} A[g*AGroup + r*ARow + i] * B[g*BGroup + c*BRow + i]
//
// with Beta 0 or 1. The assembly reads the fields at fixed offsets, which offsets.go checks.
type dot struct {
	A, B, C                          []float32
	ARow, AGroup, BRow, BGroup, CRow int
	Rows, Cols, N, Groups            int
	Add                              int // 0: C is overwritten, 1: it is added to
}

// dotSize returns the largest dot tile of a variant.
func dotSize(v kernel.Variant) (rows, cols int) {
	switch v {
	case kernel.AVX512:
		return 5, 5
	case kernel.AVX2:
		return 4, 3
	case kernel.NEON:
		return 4, 4
	}
	return 2, 2
}

func (d *dot) runPortable() {
	for r := range d.Rows {
		for c := range d.Cols {
			var s0, s1, s2, s3 float32
			for g := range d.Groups {
				a := d.A[g*d.AGroup+r*d.ARow:][:d.N]
				b := d.B[g*d.BGroup+c*d.BRow:][:d.N]
				i := 0
				for ; i+4 <= len(a) && i+4 <= len(b); i += 4 {
					s0 += float32(a[i] * b[i])
					s1 += float32(a[i+1] * b[i+1])
					s2 += float32(a[i+2] * b[i+2])
					s3 += float32(a[i+3] * b[i+3])
				}
				for ; i < len(a); i++ {
					s0 += float32(a[i] * b[i])
				}
			}
			sum := (s0 + s1) + (s2 + s3)
			if d.Add != 0 {
				sum += d.C[r*d.CRow+c]
			}
			d.C[r*d.CRow+c] = sum
		}
	}
}
