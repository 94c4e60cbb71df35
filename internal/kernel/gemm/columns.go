package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// columns is the product of one row with a matrix, without packing. A tile of one row has no more than two vectors, so
// it would wait for each multiply-add.
type columns Plan

// Run computes some elements of the row.
func (t *columns) Run(worker, i int) {
	p := (*Plan)(t)
	q := &p.call
	step := 1
	if p.TransA {
		step = q.lda
	}
	first := i * p.vectorColumns
	last := min(first+p.vectorColumns, p.N)
	count, length := Blocks(p.K)
	beta := q.beta
	for kb := range count {
		k0 := kb * length
		k := min(length, p.K-k0)
		x, w := q.a[min(len(q.a), k0*step):], q.b[min(len(q.b), k0*q.ldb+first):]
		if last-first == p.vectorColumns {
			multiplyColumns(p.variant, q.c[first:last], x, step, w, q.ldb, k, q.alpha, beta)
		} else {
			narrow(p, q.c[first:last], x, step, w, k, beta)
		}
		beta = 1
	}
	q.finished(worker, 0, 0, 1, first, last)
}

// narrow computes fewer elements.
func narrow(p *Plan, y, x []float32, step int, w []float32, k int, beta float32) {
	for col := 0; col < len(y); col += p.lane {
		t := Tile{A: x, ACol: step, B: w[min(len(w), col):], BRow: p.call.ldb, C: y[col:], Rows: 1,
			Cols: min(p.lane, len(y)-col), K: k, Alpha: p.call.alpha, Beta: beta}
		t.Run(p.variant)
	}
}

// vectorColumns returns the number of the matrix's columns that a variant computes at a time.
func vectorColumns(v kernel.Variant) int {
	switch v {
	case kernel.AVX512:
		return 128
	case kernel.AVX2:
		return 64
	case kernel.NEON:
		return 32
	}
	return 16
}

func multiplyColumnsPortable(y, x []float32, xStep int, w []float32, wRow, k int, alpha, beta float32) {
	for c := range y {
		var sum float32
		for i := range k {
			sum += float32(x[i*xStep] * w[i*wRow+c])
		}
		sum = float32(alpha * sum)
		if beta != 0 {
			sum += float32(beta * y[c])
		}
		y[c] = sum
	}
}
