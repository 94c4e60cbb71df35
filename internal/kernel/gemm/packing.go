package gemm

// packGroup strips, and packRows of their rows, are packed side by side, so that rows are read in longer runs.
const (
	packGroup = 8
	packRows  = 64
)

// packing packs strips for all workers.
type packing Plan

// Run packs a part of a group of strips.
func (t *packing) Run(_, i int) {
	p := (*Plan)(t)
	group, chunk := i/p.call.packChunks, i%p.call.packChunks
	first, n := p.call.firstStrip, p.call.strips
	p.pack(operands{p.call.a, p.call.b, p.call.c, p.call.packed, 0}, first+group*packGroup,
		first+min(n, (group+1)*packGroup), cut(p.K, chunk, p.call.packChunks), cut(p.K, chunk+1, p.call.packChunks))
}

// cut returns the start of part i of n; parts begin at whole cache lines.
func cut(k, i, n int) int {
	if i == n {
		return k
	}
	return min(k, align(k*i/n))
}

// pack copies rows [k0, k1) of some strips of the vector operand, each to [k, lane].
func (p *Plan) pack(o operands, strip0, strip1, k0, k1 int) {
	x, ld := p.vectors(o.a, o.b)
	first := p.call.firstStrip
	if !p.vectorsContiguous() {
		for s := strip0; s < strip1 && k0 < k1; s++ {
			col := s * p.lane
			Transpose(p.variant, o.packed[(s-first)*p.stripSize()+k0*p.lane:], p.lane, x[col*ld+k0:], ld,
				min(p.lane, p.cols-col), k1-k0)
		}
		return
	}
	for k := k0; k < k1; k += packRows {
		for s := strip0; s < strip1; s++ {
			col := s * p.lane
			CopyRows(p.variant, o.packed[(s-first)*p.stripSize()+k*p.lane:], p.lane, x[k*ld+col:], ld, min(packRows, k1-k),
				min(p.lane, p.cols-col))
		}
	}
}

// packPanel packs k rows of some strips of the vector operand, for a block that does so in passing.
func (t *blocks) packPanel(dst, x []float32, ld, strip0, strip1, k int) {
	p := (*Plan)(t)
	for k0 := 0; k0 < k; k0 += packRows {
		for s := strip0; s < strip1; s++ {
			col := s * p.lane
			CopyRows(p.variant, dst[((s-strip0)*k+k0)*p.lane:], p.lane, x[k0*ld+col:], ld, min(packRows, k-k0),
				min(p.lane, p.cols-col))
		}
	}
}

// repack copies a block of the broadcast operand so that its rows don't evict each other, and returns their stride.
func (p *Plan) repack(dst, x []float32, rowStride, rows, k int) int {
	stride := align(k) + alignment
	for r := range rows {
		copy(dst[r*stride:r*stride+k], x[r*rowStride:])
	}
	return stride
}

// packTiles copies a block of the broadcast operand. It puts the rows of a tile side by side, so that each tile is one
// run of memory.
func (p *Plan) packTiles(dst, x []float32, kStride, tile0, tile1, k int) {
	row0 := p.rowOf(tile0)
	for k0 := 0; k0 < k; k0 += packRows {
		for i := tile0; i < tile1; i++ {
			row, rows := p.rowOf(i)-row0, p.rowOf(i+1)-p.rowOf(i)
			CopyRows(p.variant, dst[row*k+k0*rows:], rows, x[k0*kStride+row:], kStride, min(packRows, k-k0), rows)
		}
	}
}

// strip sets the columns of t to those of a strip, from row k0 on, and packs it if the worker's own flags say that it
// is not packed yet. It returns where the next packed strip is in t.B; 0 if none is. The block begins at strip0.
func (b *blocks) strip(t *Tile, o operands, own []bool, strip0, s, k0 int) (next int) {
	p := (*Plan)(b)
	x, ld := p.vectors(o.a, o.b)
	t.Cols, t.BRow = min(p.lane, p.cols-s*p.lane), p.lane
	switch {
	case p.call.passing:
		next = t.K * p.lane
		t.B = o.packed[(s-strip0)*next:]
	case p.PackedB:
		next = p.stripSize()
		t.B = packedStrip(p, x, s, k0)
	case p.call.pack:
		next = p.stripSize()
		t.B = o.packed[(s-p.call.firstStrip)*next+k0*p.lane:]
		if own != nil && !own[s] {
			p.pack(o, s, s+1, 0, p.K)
			own[s] = true
		}
	default:
		t.B, t.BRow = x[min(len(x), k0*ld+s*p.lane):], ld
	}
	return next
}

// fetch has tile i of n fetch its part of the next strip, which is at B[next:]; 0 for none.
func (t *Tile) fetch(next, i, n, lane int) {
	t.Next, t.NextStep = nil, 0
	if step := ceil(lane, n); next > 0 && step <= alignment {
		t.Next, t.NextStep = t.B[next+min(i*step*t.K, t.K*lane-1):], step
	}
}
