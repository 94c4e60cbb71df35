package gemm

// amxCall holds the operands of the current product, and how tasks divide it.
type amxCall struct {
	a, b, c       []float32
	lda, ldb, ldc int
	add           bool // sums begin with C
	then          Follower

	packed, scratch []float32
	perTask, units  int // units of the factor that is packed in passing: of a task, and the number of such tasks
	blocks          int // of the other factor
}

func (p *AMX) begin(threads int, a []float32, lda int, b []float32, ldb int, add bool, c []float32, ldc int,
	work []float32) {
	q := &p.call
	*q = amxCall{a: a, b: b, c: c, lda: lda, ldb: ldb, ldc: ldc, add: add, then: p.Follower}
	n := threads * p.workerSize()
	q.scratch, q.packed = work[:n], work[n:]
	if p.PackedB {
		q.packed = b
	}
	all := ceil(p.passing().n, unit)
	q.perTask = min(passUnits, max(1, all/(2*threads)))
	if threads == 1 || p.Batch > 1 {
		q.perTask = min(passUnits, all)
	}
	q.units = ceil(all, q.perTask)
	q.blocks = 1
	const leastOfBlock = 8
	for p.Batch == 1 && q.units*q.blocks < 2*threads && ceil(p.shared().n, unit)/q.blocks >= 2*leastOfBlock {
		q.blocks *= 2
	}
}

// operand returns the memory of a factor of a product of the batch.
func (p *AMX) operand(s *side, product int) (x []float32, ld int) {
	if s == &p.left {
		return p.call.a[product*p.StrideA:], p.call.lda
	}
	return p.call.b[product*p.StrideB:], p.call.ldb
}

type (
	amxPacking  AMX
	amxTasks    AMX
	amxProducts AMX
)

// Run packs a part of the factor that all tasks read.
func (t *amxPacking) Run(worker, i int) {
	p := (*AMX)(t)
	x, ld := p.operand(p.shared(), 0)
	p.shared().packPart(p.variant, p.call.packed, x, ld, i, p.scratch(worker)[:2*tileSize])
}

func (p *AMX) scratch(worker int) []float32 {
	return p.call.scratch[worker*p.workerSize():][:p.workerSize()]
}

// Run computes a part of C.
func (t *amxTasks) Run(worker, i int) {
	p := (*AMX)(t)
	p.task(worker, p.scratch(worker), p.call.packed, 0, i/p.call.blocks, i%p.call.blocks)
}

// Run computes one product of a batch.
func (t *amxProducts) Run(worker, i int) {
	p := (*AMX)(t)
	scratch := p.scratch(worker)
	packed, scratch := scratch[:p.sharedSize()], scratch[p.sharedSize():]
	x, ld := p.operand(p.shared(), i)
	for part := range p.shared().parts() {
		p.shared().packPart(p.variant, packed, x, ld, part, scratch[:2*tileSize])
	}
	for u := range p.call.units {
		p.task(worker, scratch, packed, i, u, 0)
	}
}

// area is a part of what is computed, in units.
type area struct{ row0, row1, col0, col1 int }

// task computes a part of C: units of the factor that is packed in passing, and a block of the other one.
func (p *AMX) task(worker int, scratch, packed []float32, product, task, block int) {
	q := &p.call
	edge, passed := scratch[:2*tileSize], scratch[2*tileSize:]
	pass0 := task * q.perTask
	pass1 := min(pass0+q.perTask, ceil(p.passing().n, unit))
	all := ceil(p.shared().n, unit)
	r := area{pass0, pass1, block * all / q.blocks, (block + 1) * all / q.blocks}
	if !p.passLeft {
		r = area{r.col0, r.col1, r.row0, r.row1}
	}
	at := product * p.StrideC
	m := mult{p: p, area: r, c: q.c[at+r.row0*unit*q.ldc+r.col0*unit:]}
	x, ld := p.operand(p.passing(), product)
	kTiles := p.left.kTiles()
	for k0 := 0; k0 == 0 || k0 < kTiles; k0 += blockTile {
		k1 := min(k0+blockTile, kTiles)
		p.passing().pack(p.variant, passed, (k1-k0)*tileSize, x, ld, pass0*unitTiles,
			min(pass1*unitTiles, p.passing().tiles()), k0, k1, edge)
		m.first, m.k = k0 == 0 && !q.add, k1-k0
		m.run(passed, packed[min(len(packed), k0*tileSize):])
	}
	(&call{then: q.then, ldc: q.ldc}).finished(worker, at, r.row0*unit, min(r.row1*unit, p.M), r.col0*unit,
		min(r.col1*unit, p.N))
}

// mult multiplies the packed tiles of an area, for some tiles of K.
type mult struct {
	p     *AMX
	area  area
	c     []float32 // of the area
	k     int
	first bool // C is 0 before
}

func (m *mult) run(passed, packed []float32) {
	p, r := m.p, m.area
	a, b := passed, packed
	aStep, bStep := m.k*tileSize, p.right.kTiles()*tileSize
	a0, b0 := 0, r.col0*unitTiles*bStep
	if !p.passLeft {
		a, b = packed, passed
		aStep, bStep = p.left.kTiles()*tileSize, m.k*tileSize
		a0, b0 = r.row0*unitTiles*aStep, 0
	}
	mostRows := min(r.row1-r.row0, max(1, mostOfCall/max(1, m.k)))
	mostCols := max(1, mostOfCall/max(1, m.k*mostRows))
	for col := r.col0; col < r.col1; {
		cols, c := whole(col, r.col1, p.right.n, mostCols)
		for row := r.row0; row < r.row1; {
			rows, e := whole(row, r.row1, p.left.n, mostRows)
			t := amxTiles{config: &p.config[e][c], a: a[min(len(a), a0+(row-r.row0)*unitTiles*aStep):], aStep: aStep,
				b: b[min(len(b), b0+(col-r.col0)*unitTiles*bStep):], bStep: bStep,
				c: m.c[(row-r.row0)*unit*p.call.ldc+(col-r.col0)*unit:], cRow: p.call.ldc, k: m.k, rows: rows, cols: cols,
				first: m.first}
			t.run(p.variant)
			row += rows
		}
		col += cols
	}
}

// mostOfCall is the maximum number of units of C, times tiles of K, of a call of the kernel, which Go cannot interrupt.
const mostOfCall = 2048

// whole returns the number of units, at most most, that are whole. Where there is none, it returns 1, and 1 for the
// part of a unit.
func whole(from, to, n, most int) (units, part int) {
	if units = min(to-from, most, n/unit-from); units < 1 {
		return 1, 1
	}
	return units, 0
}
