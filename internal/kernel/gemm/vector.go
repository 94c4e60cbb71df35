package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// vector is the product of one row with the transpose of a matrix, without packing anything.
type vector Plan

// Run computes a few elements of the row.
func (t *vector) Run(worker, i int) {
	p := (*Plan)(t)
	q := &p.call
	step := 1
	if p.TransA {
		step = q.lda
	}
	first := i * p.vectorRows
	y := q.c[first:min(first+p.vectorRows, p.N)]
	count, length := Blocks(p.K)
	beta := q.beta
	for kb := range count {
		k0 := kb * length
		k := min(length, p.K-k0)
		multiplyRows(p.variant, y, q.b[min(len(q.b), first*q.ldb+k0):], q.ldb, q.a[min(len(q.a), k0*step):], step, k,
			q.alpha, beta)
		beta = 1
	}
	q.finished(worker, 0, 0, 1, first, first+len(y))
}

// vectorRows returns the number of rows of the matrix that a variant processes at a time.
func vectorRows(v kernel.Variant) int {
	if v == kernel.AVX512 || v == kernel.NEON {
		return 16
	}
	return 8
}

func multiplyRowsPortable(y, w []float32, wRow int, x []float32, xStep, k int, alpha, beta float32) {
	for r := range y {
		var sum float32
		for i := range k {
			sum += float32(w[r*wRow+i] * x[i*xStep])
		}
		sum = float32(alpha * sum)
		if beta != 0 {
			sum += float32(beta * y[r])
		}
		y[r] = sum
	}
}
