package gemm

import "unsafe"

// The part of C that one task computes is bounded by maxBlockRows and maxBlockColumns. The broadcast operand's block
// then stays in the second-level cache while strips of the other operand stream past it. If the task also keeps those
// strips in the cache, or transposed results, the part has ownBlockColumns at most.
const (
	maxBlockRows    = 96
	maxBlockColumns = 1024
	ownBlockColumns = 256
)

// nearby is the length of memory in which tiles read columns of the broadcast operand where they lie. It is 64 pages of
// 4 KiB, which a core's first-level table of pages covers.
const nearby = 64 << 10

// call holds the operands of the current product.
type call struct {
	a, b, c       []float32
	lda, ldb, ldc int
	alpha, beta   float32
	then          Follower

	packed, scratch, partial []float32

	pack, passing, repack  bool
	firstStrip, strips     int // the current window: strips that are packed at the same time
	packGroups, packChunks int
	rowBlocks, stripBlocks int
}

func (p *Plan) begin(threads int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int, work []float32) {
	q := &p.call
	*q = call{a: a, b: b, c: c, lda: lda, ldb: ldb, ldc: ldc, alpha: alpha, beta: beta, then: p.Follower}

	work = work[misaligned(work):]
	n := p.window() * p.stripSize()
	if q.passing = p.packInPassing(); q.passing || p.PackedB {
		n = 0
	} else if p.packPrivately() {
		n *= threads
		if flags := threads * p.strips; len(p.packed) < flags {
			p.packed = make([]bool, flags)
		}
		clear(p.packed)
	}
	q.packed, work = work[:n], work[n:]
	n = p.workerSize() * threads
	q.scratch, q.partial = work[:n], work[n:]

	_, ldv := p.vectors(a, b)
	q.pack = !p.PackedB && (!p.vectorsContiguous() || p.rowTiles >= 12 || p.rowTiles >= 3 && Aliases(ldv))
	q.strips = p.strips
	if q.pack && !q.passing {
		q.strips = p.window()
	}
	p.divide(threads)
}

// next moves to the next window of strips, and reports whether there is one.
func (p *Plan) next(threads int) bool {
	q := &p.call
	q.firstStrip += q.strips
	if q.firstStrip >= p.strips {
		return false
	}
	if left := p.strips - q.firstStrip; left < q.strips {
		q.strips = left
		p.divide(threads)
	}
	return true
}

// divide divides the window into blocks.
func (p *Plan) divide(threads int) {
	q := &p.call
	q.rowBlocks, q.stripBlocks = ceil(p.rowTiles, p.blockTiles()), ceil(q.strips, maxBlockStrips(p))
	for q.passing && q.stripBlocks < 2*threads && q.stripBlocks < q.strips {
		q.stripBlocks = min(q.strips, 2*q.stripBlocks)
	}
	least := 1 // tasks; several for each thread, for balance
	if threads > 1 {
		least = 6 * threads
	}
	for !q.passing && p.parts*q.rowBlocks*q.stripBlocks < least &&
		(q.rowBlocks < p.rowTiles || q.stripBlocks < q.strips) {
		if p.rowTiles*q.stripBlocks >= q.strips*q.rowBlocks && q.rowBlocks < p.rowTiles || q.stripBlocks == q.strips {
			q.rowBlocks = min(p.rowTiles, 2*q.rowBlocks)
		} else {
			q.stripBlocks = min(q.strips, 2*q.stripBlocks)
		}
	}
	if !q.passing && p.parts*q.rowBlocks*q.stripBlocks%threads != 0 {
		q.rowBlocks = min(p.rowTiles, ceil(q.rowBlocks, threads)*threads)
	}
	q.packGroups = ceil(q.strips, packGroup)
	q.packChunks = max(1, min(p.K/64, ceil(4*threads, q.packGroups)))
	_, rowStride, kStride := p.broadcast(q.a, q.b)
	strips := q.strips / q.stripBlocks
	_, terms := Blocks(p.K)
	q.repack = strips >= 2 && (Aliases(max(rowStride, kStride)) || kStride > 1 && terms*kStride > nearby)
}

// Aliases reports whether rows of this stride, in floats, map to so few cache sets that they evict each other.
func Aliases(stride int) bool {
	const way = 4096 / 4
	r := stride % (way / 2)
	return stride >= way/2 && (r < 32 || r > way/2-32)
}

func misaligned(work []float32) int {
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(work))) / 4)
	return align(at) - at
}

// broadcast returns the operand of the tiles' rows, its row stride and its k stride.
func (p *Plan) broadcast(a, b []float32) (x []float32, rowStride, kStride int) {
	if p.flip {
		if p.TransB {
			return b, p.call.ldb, 1
		}
		return b, 1, p.call.ldb
	}
	if p.TransA {
		return a, 1, p.call.lda
	}
	return a, p.call.lda, 1
}

// vectors returns the operand of the tiles' columns: [K, cols] or, if they are not contiguous, [cols, K].
func (p *Plan) vectors(a, b []float32) (x []float32, ld int) {
	if p.flip {
		return a, p.call.lda
	}
	return b, p.call.ldb
}

// operands holds the operands of one product of a batch.
type operands struct {
	a, b, c, packed []float32
	at              int // of c in the results of the batch
}

type (
	blocks   Plan
	summing  Plan
	products Plan
)

// Run computes a block of C, or of a partial sum.
func (t *blocks) Run(worker, i int) {
	p := (*Plan)(t)
	strip, i := i%p.call.stripBlocks, i/p.call.stripBlocks
	row, part := i%p.call.rowBlocks, i/p.call.rowBlocks
	p.block(worker, operands{p.call.a, p.call.b, p.call.c, p.call.packed, 0}, row, strip, part)
}

// Run computes one product of a batch.
func (t *products) Run(worker, i int) {
	p := (*Plan)(t)
	o := operands{p.call.a[i*p.StrideA:], p.call.b[i*p.StrideB:], p.call.c[i*p.StrideC:], p.call.packed, i * p.StrideC}
	clear(p.packed[worker*p.strips:][:p.strips])
	for i := range p.call.rowBlocks * p.call.stripBlocks {
		p.block(worker, o, i/p.call.stripBlocks, i%p.call.stripBlocks, 0)
	}
}

// block computes a block of tiles: the blocks of K in order, for each the strips, and for each strip the tiles.
func (p *Plan) block(worker int, o operands, rowBlock, stripBlock, part int) {
	q := &p.call
	scratch := q.scratch[worker*p.workerSize():][:p.workerSize()]
	tile0, tile1 := rowBlock*p.rowTiles/q.rowBlocks, (rowBlock+1)*p.rowTiles/q.rowBlocks
	strip0, strip1 := q.firstStrip+stripBlock*q.strips/q.stripBlocks, q.firstStrip+(stripBlock+1)*q.strips/q.stripBlocks
	row0, row1 := p.rowOf(tile0), p.rowOf(tile1)
	col0, col1 := strip0*p.lane, min(strip1*p.lane, p.cols)

	c, ldc := o.c, q.ldc
	alpha, beta := q.alpha, q.beta
	if p.parts > 1 {
		c, ldc, alpha, beta = q.partial[part*p.M*p.N:], p.N, 1, 0
	}
	first, last := p.K*part/p.parts, p.K*(part+1)/p.parts
	count, length := Blocks(last - first)

	var own []bool
	if q.passing {
		n := p.panelSize(length)
		o.packed, scratch = scratch[:n], scratch[n:]
	} else if q.pack && p.packPrivately() {
		o.packed = o.packed[worker*p.packedSize():][:p.packedSize()]
		own = p.packed[worker*p.strips:][:p.strips]
	}
	xb, rowStride, kStride := p.broadcast(o.a, o.b)
	xv, ldv := p.vectors(o.a, o.b)
	// Transposed results are kept aside until they are complete.
	out, outRow := c, ldc
	if p.flip {
		outRow = align(col1-col0) + alignment
		out = scratch[len(scratch)-p.flippedSize():]
		if beta != 0 {
			Transpose(p.variant, out, outRow, c[col0*ldc+row0:], ldc, col1-col0, row1-row0)
		}
	} else {
		out = c[row0*ldc+col0:]
	}
	t := Tile{CRow: outRow}
	for kb := range count {
		k0 := first + kb*length
		t.K = min(length, last-k0)
		t.Alpha, t.Beta = alpha, beta
		if kb > 0 {
			t.Beta = 1
		}
		// The broadcast operand's rows begin at base + row*ARow.
		from, base := xb, k0*kStride
		t.ARow, t.ACol = rowStride, kStride
		if q.repack {
			from, base = scratch, 0
			if x := xb[min(len(xb), row0*rowStride+k0*kStride):]; kStride > 1 {
				p.packTiles(scratch, x, kStride, tile0, tile1, t.K)
			} else {
				t.ARow = p.repack(scratch, x, rowStride, row1-row0, t.K)
				base = -row0 * t.ARow
			}
		}
		if q.passing {
			(*blocks)(p).packPanel(o.packed, xv[min(len(xv), k0*ldv):], ldv, strip0, strip1, t.K)
		}
		for s := strip0; s < strip1; s++ {
			col := s * p.lane
			next := (*blocks)(p).strip(&t, o, own, strip0, s, k0)
			if s+1 == strip1 {
				next = 0
			}
			row := row0
			for i := tile0; i < tile1; i++ {
				after := p.rowOf(i + 1)
				t.Rows = after - row
				t.fetch(next, i-tile0, tile1-tile0, p.lane)
				if q.repack && kStride > 1 {
					t.ACol = t.Rows
					t.A = scratch[(row-row0)*t.K:]
				} else {
					t.A = from[min(len(from), base+row*t.ARow):]
				}
				t.C = out[(row-row0)*outRow+col-col0:]
				t.compute(p)
				row = after
			}
		}
	}
	if p.flip {
		Transpose(p.variant, c[col0*ldc+row0:], ldc, out, outRow, row1-row0, col1-col0)
		row0, row1, col0, col1 = col0, col1, row0, row1
	}
	if p.parts == 1 {
		q.finished(worker, o.at, row0, row1, col0, col1)
	}
}

// compute computes a tile of a plan.
func (t *Tile) compute(p *Plan) {
	if p.pairs {
		t.RunPairs(p.variant)
	} else {
		t.Run(p.variant)
	}
}

// rowOf returns the first row of a tile. Tiles are as equal in size as possible.
func (p *Plan) rowOf(tile int) int { return tile * p.rows / p.rowTiles }

// Run adds the partial sums of some rows of C, in the order of K.
func (t *summing) Run(worker, i int) {
	p := (*Plan)(t)
	q := &p.call
	n := min(p.M, 16)
	for r := i * p.M / n; r < (i+1)*p.M/n; r++ {
		sum := q.partial[r*p.N:][:p.N]
		for part := 1; part < p.parts; part++ {
			for j, v := range q.partial[(part*p.M+r)*p.N:][:p.N] {
				sum[j] += v
			}
		}
		c := q.c[r*q.ldc:][:p.N]
		for j, v := range sum {
			v = float32(q.alpha * v)
			if q.beta != 0 {
				v += float32(q.beta * c[j])
			}
			c[j] = v
		}
		q.finished(worker, 0, r, r+1, 0, p.N)
	}
}
