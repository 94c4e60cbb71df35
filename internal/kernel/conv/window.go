package conv

// window is one call of the micro-kernel that reads its operands in place. The terms of a sum are at offsets from the
// place of the first one; the offsets are the same for every element of a vector.
//
//	acc[r][v][i] = (Start[r] or 0) + Σ_k A[k*Rows + r] * B[v*BNext + Offsets[k] + i],   k ascending, one fused chain
//	C[r*CRow + v*CNext + i] = acc[r][v][i], added to what is there if Add isn't 0
//
// for r in [0, Rows), vectors v in {0, 1} and i in [0, Cols[v]). Rows is at most that of gemm.Size, and Cols[v] at
// most half its columns, which is a vector; Cols[1] may be 0. B is read a whole vector at a time. An element only
// depends on its operands, not on its place. It equals that of a gemm.Tile.
//
// The assembly reads the fields at fixed offsets, which offsets.go checks.
type window struct {
	A, B, C, Start     []float32
	Offsets            []int32
	BNext, CNext, CRow int
	Rows, K            int
	Cols               [2]int
	Add                int
}

func (d *window) runPortable() {
	for v, cols := range d.Cols {
		for r := range d.Rows {
			start := float32(0)
			if len(d.Start) > 0 {
				start = d.Start[r]
			}
			for i := range cols {
				c := &d.C[r*d.CRow+v*d.CNext+i]
				acc := start
				for k, at := range d.Offsets[:d.K] {
					acc += float32(d.A[k*d.Rows+r] * d.B[v*d.BNext+int(at)+i])
				}
				if d.Add != 0 {
					acc += *c
				}
				*c = acc
			}
		}
	}
}
