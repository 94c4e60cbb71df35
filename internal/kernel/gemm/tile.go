package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// Tile is one call of a micro-kernel:
//
//	acc[r][c] = (Start[r] or 0) + Σ_k A[r*ARow + k*ACol] * B[k*BRow + c],   k ascending, one fused chain
//	C[r*CRow + c] = Alpha*acc[r][c] + Beta*C[r*CRow + c]
//
// for r in [0, Rows), c in [0, Cols). Rows and Cols are at most those of Size. An element only depends on its
// operands, not on its place in the tile or on the tile's size. With Beta = 0, C is not read.
//
// The assembly reads the fields at fixed offsets, which offsets.go checks.
type Tile struct {
	A, B, C, Start         []float32
	ARow, ACol, BRow, CRow int
	Rows, Cols, K          int
	Alpha, Beta            float32

	// Next is what later tiles read. NextStep elements of it are fetched into the second-level cache for each k.
	Next     []float32
	NextStep int
}

// Size returns the largest tile of a variant: rows (the broadcast side) and columns (the vector side).
func Size(v kernel.Variant) (rows, cols int) {
	switch v {
	case kernel.AVX512:
		return 12, 32
	case kernel.AVX2:
		return 6, 16
	case kernel.NEON:
		return 12, 8
	}
	return 4, 4
}

func (t *Tile) runPortable() {
	if t.Rows == 4 && t.Cols == 4 && len(t.Start) == 0 {
		t.run4x4()
		return
	}
	for r := range t.Rows {
		start := float32(0)
		if len(t.Start) > 0 {
			start = t.Start[r]
		}
		for c := range t.Cols {
			acc := start
			for k := range t.K {
				// The conversion forbids fusing, which some compilers would do either here or in run4x4, but not in
				// both.
				acc += float32(t.A[r*t.ARow+k*t.ACol] * t.B[k*t.BRow+c])
			}
			t.store(r, c, acc)
		}
	}
}

func (t *Tile) run4x4() {
	var c00, c01, c02, c03, c10, c11, c12, c13 float32
	var c20, c21, c22, c23, c30, c31, c32, c33 float32
	a, b := 0, 0
	for range t.K {
		v := t.B[b : b+4 : b+4]
		b0, b1, b2, b3 := v[0], v[1], v[2], v[3]
		x := t.A[a]
		c00, c01, c02, c03 = c00+float32(x*b0), c01+float32(x*b1), c02+float32(x*b2), c03+float32(x*b3)
		x = t.A[a+t.ARow]
		c10, c11, c12, c13 = c10+float32(x*b0), c11+float32(x*b1), c12+float32(x*b2), c13+float32(x*b3)
		x = t.A[a+2*t.ARow]
		c20, c21, c22, c23 = c20+float32(x*b0), c21+float32(x*b1), c22+float32(x*b2), c23+float32(x*b3)
		x = t.A[a+3*t.ARow]
		c30, c31, c32, c33 = c30+float32(x*b0), c31+float32(x*b1), c32+float32(x*b2), c33+float32(x*b3)
		a += t.ACol
		b += t.BRow
	}
	for r, row := range [4][4]float32{{c00, c01, c02, c03}, {c10, c11, c12, c13}, {c20, c21, c22, c23},
		{c30, c31, c32, c33}} {
		for c, acc := range row {
			t.store(r, c, acc)
		}
	}
}

func (t *Tile) store(r, c int, acc float32) {
	v := float32(t.Alpha * acc)
	if t.Beta != 0 {
		v += float32(t.Beta * t.C[r*t.CRow+c])
	}
	t.C[r*t.CRow+c] = v
}

// copyRowsPortable copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows).
func copyRowsPortable(dst []float32, dstRow int, src []float32, srcRow, rows, n int) {
	for r := range rows {
		copy(dst[r*dstRow:][:n], src[r*srcRow:])
	}
}

// transposePortable copies src [rows, cols] to dst [cols, rows].
func transposePortable(dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	for r := range rows {
		for c := range cols {
			dst[c*dstRow+r] = src[r*srcRow+c]
		}
	}
}
