//go:build arm64 && !noasm

package vector

import "unsafe"

// NEON's kernels that do what several others do call those others, chunk by chunk in the first cache. The roundings are
// the same.

// chainChunk is the number of elements of a chunk.
const chainChunk = 512

func after(x *float32, n int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(x), 4*n)) }

func addMaxNEON(dst, a, b *float32, s float32, n int) {
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		addNEON(d, after(a, from), after(b, from), m)
		maxScalarNEON(d, d, s, m)
	}
}

func normNEON(dst, a *float32, s, t, u float32, n int) {
	for from := 0; from < n; from += chainChunk {
		normChunk(after(dst, from), after(a, from), s, t, u, min(chainChunk, n-from))
	}
}

func normChunk(dst, a *float32, s, t, u float32, n int) {
	subScalarNEON(dst, a, s, n)
	mulScalarNEON(dst, dst, t, n)
	addScalarNEON(dst, dst, u, n)
}

func normMaxNEON(dst, a *float32, s, t, u, v float32, n int) {
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		normChunk(d, after(a, from), s, t, u, m)
		maxScalarNEON(d, d, v, m)
	}
}

// normAddMaxNEON keeps the normalised chunk aside, since dst may be b.
func normAddMaxNEON(dst, a, b *float32, s, t, u, v float32, n int) {
	var aside [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		normChunk(&aside[0], after(a, from), s, t, u, m)
		addNEON(d, &aside[0], after(b, from), m)
		maxScalarNEON(d, d, v, m)
	}
}

func subAffineNEON(dst, a *float32, s, t, u float32, n int) {
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		subScalarNEON(d, after(a, from), s, m)
		affineNEON(d, d, t, u, m)
	}
}

// normGradNEON keeps the chunk aside, since dst may be b.
func normGradNEON(dst, a, b *float32, s, t, u, v float32, n int) {
	var aside [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		subScalarNEON(&aside[0], after(a, from), s, m)
		axpbyNEON(&aside[0], after(b, from), t, u, m)
		addScalarNEON(d, &aside[0], v, m)
	}
}

// mulGreaterNEON keeps the chunk aside, since dst may be a.
func mulGreaterNEON(dst, a, b *float32, s float32, n int) {
	var aside [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		m := min(chainChunk, n-from)
		greaterScalarNEON(&aside[0], after(b, from), s, m)
		mulNEON(after(dst, from), after(a, from), &aside[0], m)
	}
}

// tanhGradNEON keeps the chunk aside, since dst may be a.
func tanhGradNEON(dst, a, b *float32, n int) {
	var aside [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		m := min(chainChunk, n-from)
		squareNEON(&aside[0], after(b, from), m)
		scalarSubNEON(&aside[0], &aside[0], 1, m)
		mulNEON(after(dst, from), after(a, from), &aside[0], m)
	}
}

// sigmoidGradNEON keeps the chunk aside, since dst may be a or b.
func sigmoidGradNEON(dst, a, b *float32, n int) {
	var aside [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		m := min(chainChunk, n-from)
		scalarSubNEON(&aside[0], after(b, from), 1, m)
		mulNEON(&aside[0], after(b, from), &aside[0], m)
		mulNEON(after(dst, from), after(a, from), &aside[0], m)
	}
}

func momentumNEON(p2, v2, p, v, d *float32, m, r, s, t float32, n int) {
	var mv, w [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		n := min(chainChunk, n-from)
		mulScalarNEON(&mv[0], after(v, from), m, n)
		mulScalarNEON(&w[0], after(d, from), r, n)
		subNEON(&w[0], &mv[0], &w[0], n)
		flushNEON(after(v2, from), &w[0], n)
		mulScalarNEON(&w[0], &w[0], s, n)
		subNEON(&mv[0], &mv[0], &w[0], n)
		mulScalarNEON(&mv[0], &mv[0], t, n)
		addNEON(after(p2, from), after(p, from), &mv[0], n)
	}
}

func adamNEON(p2, m2, v2, p, m, v, g *float32, b, c, d, e, r, s, t float32, n int) {
	var x, y, part [chainChunk]float32
	for from := 0; from < n; from += chainChunk {
		n := min(chainChunk, n-from)
		mulScalarNEON(&x[0], after(m, from), b, n)
		mulScalarNEON(&part[0], after(g, from), c, n)
		addNEON(&x[0], &x[0], &part[0], n)
		squareNEON(&part[0], after(g, from), n)
		mulScalarNEON(&part[0], &part[0], e, n)
		mulScalarNEON(&y[0], after(v, from), d, n)
		addNEON(&y[0], &y[0], &part[0], n)
		flushNEON(after(m2, from), &x[0], n)
		flushNEON(after(v2, from), &y[0], n)
		sqrtNEON(&y[0], &y[0], n)
		addScalarNEON(&y[0], &y[0], s, n)
		mulScalarNEON(&x[0], &x[0], r, n)
		divNEON(&x[0], &x[0], &y[0], n)
		mulScalarNEON(&x[0], &x[0], t, n)
		addNEON(after(p2, from), after(p, from), &x[0], n)
	}
}

func tapsNEON(dst, x *float32, at *int32, w *float32, s float32, count, n int) {
	offsets, weights := unsafe.Slice(at, count), unsafe.Slice(w, count)
	for from := 0; from < n; from += chainChunk {
		d, m := after(dst, from), min(chainChunk, n-from)
		fillNEON(d, s, m)
		for t, off := range offsets {
			axpyNEON(d, after(x, int(off)+from), weights[t], m)
		}
	}
}

// softmaxGradNEON adds the products to 64 partial sums, as Sum does.
func softmaxGradNEON(dst, p, d *float32, s float32, rows, n int) {
	for row := 0; row < rows*n; row += n {
		var aside [chainChunk]float32
		var sums [lanes]float32
		for from := 0; from < n; from += chainChunk {
			m := min(chainChunk, n-from)
			mulNEON(&aside[0], after(p, row+from), after(d, row+from), m)
			if m >= lanes {
				addRowsNEON(&sums[0], &aside[0], lanes, m/lanes)
			}
			if rest := m % lanes; rest > 0 {
				addNEON(&sums[0], &sums[0], &aside[m-rest], rest)
			}
		}
		sum := sumNEON(&sums[0], lanes)
		for from := 0; from < n; from += chainChunk {
			y, m := after(dst, row+from), min(chainChunk, n-from)
			subScalarNEON(y, after(d, row+from), sum, m)
			mulNEON(y, y, after(p, row+from), m)
			mulScalarNEON(y, y, s, m)
		}
	}
}
