package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
)

// pairPlan computes two rows of the output at a time, with 4 products for each column of a filter instead of 6:
// Winograd's F(2, 3) along the height (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016). From
// the four input rows d0 to d3 under a pair, and the three rows g0 to g2 of a filter, with m0 to m3 summed over
// channels and columns:
//
//	m0 = (d0 - d2)·g0    m1 = (d1 + d2)·(g0 + g1 + g2)/2    m2 = (d2 - d1)·(g0 - g1 + g2)/2    m3 = (d1 - d3)·g2
//	y0 = m0 + m1 + m2    y1 = m1 - m2 - m3
//
// Its rounding errors are about those of the plain sum, which has three times as many terms in a chain. The input is
// staged and combined for a band of pairs, and then read in place.
type pairPlan struct {
	used    bool
	lanes   int // of a vector
	perRow  int // vectors for a row of output pixels
	pairs   int
	band    int // pairs that are staged at a time
	width   int // of a staged row
	channel int // length of a staged channel: the even or the odd rows of a band
	group   int // channels that are combined at a time
	kBlocks int
	kLength int
	offsets []int32
}

// combinations is the number of combinations of four rows, and of three filter rows.
const combinations = 4

func newPairPlan(p *Plan) pairPlan {
	const (
		staged   = 64 << 10 // floats of the combinations: within the second-level cache
		combined = 2 << 10  // floats that are combined at a time: within the first-level cache
	)
	w := pairPlan{lanes: p.lane / 2, pairs: ceil(p.OutH, 2), width: p.OutW + (p.KW-1)*p.DilW}
	w.perRow = ceil(p.OutW, w.lanes)
	w.used = p.KH == 3 && p.StrideH == 1 && p.StrideW == 1 && p.DilH == 1 && p.OutH > 1 &&
		8*p.OutW >= 7*w.lanes*w.perRow && p.InC >= 16 && p.OutC >= 16
	if !w.used {
		return w
	}
	w.band = max(1, min(w.pairs, bandRows/2, staged/(combinations*p.InC*w.width)-1))
	w.channel = (w.band + 1) * w.width
	w.group = max(1, min(p.InC, combined/w.channel))
	w.kBlocks, w.kLength = gemm.Blocks(p.InC * p.KW)
	for c := range p.InC {
		for v := range p.KW {
			w.offsets = append(w.offsets, int32(c*w.channel+v*p.DilW))
		}
	}
	return w
}

// sums is the length of one combination of a band's rows. The kernel reads beyond the last one, but does not use those
// values.
func (w *pairPlan) sums(p *Plan) int { return align(p.InC*w.channel + w.lanes) }

// products is the length of the products of one combination: two vectors for each filter.
func (w *pairPlan) products(p *Plan) int { return align(2 * w.lanes * p.OutC) }

// rows is the length of the even, or the odd, rows of a group of channels.
func (w *pairPlan) rows() int { return align(w.group*w.channel + w.width) }

// scratch is the length of a worker's memory.
func (w *pairPlan) scratch(p *Plan) int {
	return 2*w.rows() + combinations*(w.sums(p)+w.products(p))
}

// filters is the length of the combinations of filters.
func (w *pairPlan) filters(p *Plan) int { return combinations * p.OutC * p.InC * p.KW }

// pack writes the combinations of the filters, each in the order in which the kernel reads its tiles.
func (w *pairPlan) pack(p *Plan, dst, filters []float32) {
	for tile := range p.strip.rowTiles {
		w.packTile(p, dst, filters, tile)
	}
}

// packTile writes the combinations of the filters of one tile.
func (w *pairPlan) packTile(p *Plan, dst, filters []float32, tile int) {
	terms := p.InC * p.KW
	first, n := p.filterTile(tile)
	var to [combinations][]float32
	for i := range to {
		to[i] = dst[(i*p.OutC+first)*terms:][:n*terms]
	}
	for r := range n {
		from := filters[(first+r)*p.InC*3*p.KW:][:p.InC*3*p.KW]
		at := r
		for ; len(from) > 0; from = from[3*p.KW:] {
			for v := range p.KW {
				g0, g1, g2 := float64(from[v]), float64(from[p.KW+v]), float64(from[2*p.KW+v])
				outer := g0 + g2
				to[0][at], to[1][at] = float32(g0), float32((outer+g1)/2)
				to[2][at], to[3][at] = float32((outer-g1)/2), float32(g2)
				at += n
			}
		}
	}
}

// packPairs writes the combinations of filters.
type packPairs Plan

// Run packs one tile.
func (f *packPairs) Run(_, tile int) {
	p := (*Plan)(f)
	p.pair.packTile(p, p.call.packed, p.call.w, tile)
}

// forwardPairs computes Forward by pairs of rows.
type forwardPairs Plan

// start starts the computation of a call.
func (f *forwardPairs) start(pool *parallel.Pool) {
	p := (*Plan)(f)
	forget(p, pool)
	if p.call.packed = p.call.w; !p.packed {
		n := packedWork(p)
		p.call.packed, p.call.work = p.call.work[:n], p.call.work[n:]
		pool.Do(p.strip.rowTiles, (*packPairs)(p))
	}
	p.call.parts = 1
	if p.Batch < 4*pool.Threads() {
		p.call.parts = min(p.pair.pairs, ceil(4*pool.Threads(), p.Batch))
	}
	pool.Do(p.Batch*p.call.parts, f)
}

// Run computes some pairs of rows of one example.
func (f *forwardPairs) Run(worker, i int) {
	p := (*Plan)(f)
	w := &p.pair
	example, part := i/p.call.parts, i%p.call.parts
	first, end := part*w.pairs/p.call.parts, (part+1)*w.pairs/p.call.parts
	scratch := p.call.work[worker*w.scratch(p):][:w.scratch(p)]
	if !p.cleared[worker] { // the padding's zeros stay from band to band
		clear(scratch)
		p.cleared[worker] = true
	}
	rows, rest := scratch[:2*w.rows()], scratch[2*w.rows():]
	sums, products := rest[:combinations*w.sums(p)], rest[combinations*w.sums(p):]
	x, y := p.call.x[example*p.xSize():][:p.xSize()], p.call.y[example*p.ySize():][:p.ySize()]
	for pair := first; pair < end; pair += w.band {
		n := min(w.band, end-pair)
		for c := 0; c < p.InC; c += w.group {
			f.combine(sums, rows, x, c, min(w.group, p.InC-c), pair)
		}
		for at := 0; at < n*w.perRow; at += 2 {
			f.compute(y, sums, products, pair, at, n)
		}
		finished(p, worker, example, 2*pair*p.OutW, min(2*(pair+n), p.OutH)*p.OutW)
	}
}

// combine writes the combinations of the rows under a band, for some channels. pair is the band's first.
func (f *forwardPairs) combine(sums, rows, x []float32, channel, channels, pair int) {
	p := (*Plan)(f)
	w := &p.pair
	even, odd := rows[:w.rows()], rows[w.rows():]
	for c := range channels {
		plane := x[(channel+c)*p.InH*p.InW:][:p.InH*p.InW]
		f.fill(even[c*w.channel:][:w.channel], plane, 2*pair-p.PadTop)
		f.fill(odd[c*w.channel:][:w.channel], plane, 2*pair-p.PadTop+1)
	}
	n, size, s := channels*w.channel-w.width, w.sums(p), vector.For(p.variant)
	to := func(i int) []float32 { return sums[i*size+channel*w.channel:][:n] }
	d0, d1, d2, d3 := even[:n], odd[:n], even[w.width:][:n], odd[w.width:][:n]
	s.Sub(to(0), d0, d2)
	s.Add(to(1), d1, d2)
	s.Sub(to(2), d2, d1)
	s.Sub(to(3), d1, d3)
}

// fill copies every second row of a channel, from the given one on, to their places. Rows outside are 0.
func (f *forwardPairs) fill(dst, plane []float32, row int) {
	p := (*Plan)(f)
	w := &p.pair
	count := w.band + 1
	before := min(count, max(0, -row+1)/2) // rows above
	after := max(before, min(count, (p.InH-row+1)/2))
	clear(dst[:before*w.width])
	clear(dst[after*w.width:])
	from, to := p.stage.inside(w.width, p.PadLeft)
	if after > before && to > from {
		gemm.CopyRows(p.variant, dst[before*w.width+from:], w.width,
			plane[(row+2*before)*p.InW+from-p.PadLeft:], 2*p.InW, after-before, to-from)
	}
}

// compute computes two vectors of pixels of all filters, in both rows of their pairs: vectors at and at+1 of the n
// pairs of a band.
func (f *forwardPairs) compute(y, sums, products []float32, pair, at, n int) {
	p := (*Plan)(f)
	w := &p.pair
	d := window{CRow: 2 * w.lanes, CNext: w.lanes}
	row, col := at/w.perRow, at%w.perRow*w.lanes
	d.Cols[0] = min(w.lanes, p.OutW-col)
	src := row*w.width + col
	nextRow, nextCol := (at+1)/w.perRow, (at+1)%w.perRow*w.lanes
	if nextRow < n {
		d.Cols[1] = min(w.lanes, p.OutW-nextCol)
		d.BNext = nextRow*w.width + nextCol - src
	}
	terms := p.InC * p.KW
	for i := range combinations {
		d.B = sums[i*w.sums(p)+src:]
		to := products[i*w.products(p):]
		for kb := range w.kBlocks {
			k0 := kb * w.kLength
			d.K, d.Offsets, d.Add = min(w.kLength, terms-k0), w.offsets[k0:], min(kb, 1)
			for tile := range p.strip.rowTiles {
				first, rows := p.filterTile(tile)
				d.Rows, d.A = rows, p.call.packed[(i*p.OutC+first)*terms+k0*rows:]
				d.C = to[first*d.CRow:]
				d.Start = nil
				if i == 1 && kb == 0 && p.call.bias != nil { // both rows have this combination
					d.Start = p.call.bias[first:]
				}
				d.run(p.variant)
			}
		}
	}
	f.add(products)
	f.write(y, products, 2*(pair+row), col, d.Cols[0])
	f.write(y, products[w.lanes:], 2*(pair+nextRow), nextCol, d.Cols[1])
}

// add adds the products up: for the first row of a pair in the place of the first combination, and for the second row
// in that of the second.
func (f *forwardPairs) add(products []float32) {
	p := (*Plan)(f)
	w := &p.pair
	s, size, n := vector.For(p.variant), w.products(p), 2*w.lanes*p.OutC
	m0, m1, m2, m3 := products[:n], products[size:][:n], products[2*size:][:n], products[3*size:][:n]
	s.Add(m0, m0, m1)
	s.Add(m0, m0, m2)
	s.Sub(m1, m1, m2)
	s.Sub(m1, m1, m3)
}

// write copies a vector of pixels of all filters to a pair of rows of the output.
func (f *forwardPairs) write(y, sums []float32, row, col, cols int) {
	p := (*Plan)(f)
	w := &p.pair
	for i := range min(2, p.OutH-row) {
		if cols > 0 {
			gemm.CopyRows(p.variant, y[(row+i)*p.OutW+col:], p.pixels(), sums[i*w.products(p):], 2*w.lanes, p.OutC, cols)
		}
	}
}
