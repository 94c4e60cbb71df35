package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
)

// examplePairs is the plan for the gradient of the filters with pairs of examples: the terms of a sum are pixels, each
// of two examples. If the batch is odd, the last example's neighbour is 0.
//
// The input is staged with its channels innermost, a block of channels at a time, so its columns are the cells of a
// filter, each with the block's channels. They are gathered for a strip of columns and up to chunkPixels pixels, and
// then multiplied with dy. Groups of pairs have their own sums, which are added at the end in order. A group processes
// its pairs by bands of output rows. All this depends on the geometry only.
type examplePairs struct {
	used          bool
	pairs         int // of examples
	groups        int
	block, blocks int  // of input channels
	rows          int  // output rows in a band
	height, width int  // of a staged band
	direct        bool // a 1x1 convolution, whose staged input needs no gathering
	run           int  // columns that are neighbours in the staged input: cells of a row of the filter, or one cell
	places        []int
	offsets       []int32 // of the pixels of a band
	dyRow         int     // distance between two filters' dy in a band
	columns       int     // of a block
	sumRow        int     // distance between the sums of two filters

	zeros     int // length of the neighbour of a channel, or of dy, in a band
	x, dy, dw []float32
	sums      []float32
	scratch   []float32
}

// chunkPixels is the number of pixels that are summed before the sum is added to memory.
const chunkPixels = 256

func newExamplePairs(p *BF16) examplePairs {
	const (
		enough  = 8        // tasks
		staged  = 96 << 10 // floats of a band: within the second-level cache
		largest = 64       // channels of a block
	)
	f := examplePairs{pairs: ceil(p.Batch, 2)}
	f.used = p.Batch > 1 && p.InC > 1 && p.patch() >= leastPatch && (p.OutC >= leastResults || p.KH*p.KW > 1)
	if !f.used {
		return f
	}
	f.blocks = ceil(p.InC, largest)
	f.block = ceil(p.InC, f.blocks)
	f.groups = max(1, min(f.pairs, ceil(enough, f.blocks)))
	f.width = (p.OutW-1)*p.StrideW + (p.KW-1)*p.DilW + 1
	for f.rows = p.OutH; ; f.rows = ceil(f.rows, 2) {
		f.height = (f.rows-1)*p.StrideH + (p.KH-1)*p.DilH + 1
		if f.dyRow = align(f.rows * p.OutW); gemm.Aliases(f.dyRow) {
			f.dyRow += 16
		}
		if f.rows == 1 || f.height*f.width*f.block+p.OutC*f.dyRow <= staged {
			break
		}
	}
	f.run = f.block
	if p.DilW == 1 {
		f.run *= p.KW
	}
	for u := range p.KH {
		for v := 0; v < p.KW*f.block; v += f.run {
			f.places = append(f.places, u*p.DilH*f.width*f.block+v*p.DilW)
		}
	}
	for r := range f.rows {
		for c := range p.OutW {
			f.offsets = append(f.offsets, int32((r*p.StrideH*f.width+c*p.StrideW)*f.block))
		}
	}
	f.direct = pointwise(p.plan)
	f.columns = p.KH * p.KW * f.block
	if f.sumRow = f.blocks * f.columns; gemm.Aliases(f.sumRow) {
		f.sumRow += 16
	}
	f.zeros = max(f.height*p.InW, f.rows*p.OutW)
	return f
}

// scratchParts returns the lengths of a worker's memory: pairs of the input, the staged input, pairs of dy, a strip of
// gathered columns, and zeros.
func (f *examplePairs) scratchParts(p *BF16) [5]int {
	return [...]int{align(f.block * f.height * p.InW), align(f.block * f.height * f.width), align(p.OutC * f.dyRow),
		align(min(chunkPixels, f.rows*p.OutW) * p.plan.lane), align(f.zeros)}
}

func (f *examplePairs) scratchSize(p *BF16) (n int) {
	for _, part := range f.scratchParts(p) {
		n += part
	}
	return n
}

func (f *examplePairs) work(p *BF16, threads int) int {
	if !f.used {
		return p.plan.filterWork(threads)
	}
	return align(f.groups*p.OutC*f.sumRow) + threads*f.scratchSize(p)
}

func (f *examplePairs) start(p *BF16, pool *parallel.Pool, x, dy, dw, work []float32) {
	n := f.groups * p.OutC * f.sumRow
	f.x, f.dy, f.dw, f.sums, f.scratch = x, dy, dw, work[:n], work[align(n):]
	pool.Do(f.groups*f.blocks, (*gradPairs)(p))
	pool.Do(p.OutC, (*sumGradPairs)(p))
	f.x, f.dy, f.dw, f.sums, f.scratch = nil, nil, nil, nil, nil
}

type gradPairs BF16

// Run computes the sums of one group of pairs for one block of input channels.
func (t *gradPairs) Run(worker, i int) {
	p := (*BF16)(t)
	f := &p.filter
	group, block := i%f.groups, i/f.groups
	scratch := f.scratch[worker*f.scratchSize(p):]
	var parts [5][]float32
	for i, n := range f.scratchParts(p) {
		parts[i], scratch = scratch[:n], scratch[n:]
	}
	words, staged, dy, panel, zeros := parts[0], parts[1], parts[2], parts[3], parts[4]
	clear(zeros)
	sums := f.sums[group*p.OutC*f.sumRow+block*f.columns:]
	tile := gemm.Tile{Alpha: 1}
	for pair := group * f.pairs / f.groups; pair < (group+1)*f.pairs/f.groups; pair++ {
		for row := 0; row < p.OutH; row += f.rows {
			rows := min(f.rows, p.OutH-row)
			t.stage(words, staged, zeros, pair, block*f.block, row, rows)
			t.pairGradients(dy, zeros, pair, row, rows)
			for from := 0; from < rows*p.OutW; from += chunkPixels {
				tile.K = min(chunkPixels, rows*p.OutW-from)
				t.products(tile, sums, staged, dy[from:], panel, from)
				tile.Beta = 1
			}
		}
	}
}

// pair returns an operand's part of both examples of a pair, at an offset in the example. Each is of the given size.
func (t *gradPairs) pair(x, zeros []float32, size, pair, at int) (low, high []float32) {
	p := (*BF16)(t)
	low, high = x[2*pair*size+at:], zeros
	if 2*pair+1 < p.Batch {
		high = x[(2*pair+1)*size+at:]
	}
	return low, high
}

// pairGradients makes the pairs of dy in a band.
func (t *gradPairs) pairGradients(dst, zeros []float32, pair, row, rows int) {
	p := (*BF16)(t)
	n := rows * p.OutW
	for o := range p.OutC {
		low, high := t.pair(p.filter.dy, zeros, p.ySize(), pair, o*p.pixels()+row*p.OutW)
		gemm.PairRows(p.plan.variant, dst[o*p.filter.dyRow:][:n], low, high)
	}
}

// stage stages the pairs of the input under a band of some channels.
func (t *gradPairs) stage(words, dst, zeros []float32, pair, c0, row, rows int) {
	p := (*BF16)(t)
	f := &p.filter
	channels := min(f.block, p.InC-c0)
	top := row*p.StrideH - p.PadTop
	end := top + (rows-1)*p.StrideH + (p.KH-1)*p.DilH + 1
	first, last := max(0, top), min(p.InH, end)
	n := max(0, last-first) * p.InW
	if n > 0 {
		for c := range channels {
			low, high := t.pair(f.x, zeros, p.xSize(), pair, ((c0+c)*p.InH+first)*p.InW)
			gemm.PairRows(p.plan.variant, words[c*n:][:n], low, high)
		}
	}
	from := min(max(0, p.PadLeft), f.width)
	to := max(from, min(f.width, p.InW+p.PadLeft))
	for in := top; in < end; in++ {
		out := dst[(in-top)*f.width*f.block:][:f.width*f.block]
		if in < first || in >= last || from == to {
			clear(out)
			continue
		}
		if channels < f.block {
			clear(out)
		} else {
			clear(out[:from*f.block])
			clear(out[to*f.block:])
		}
		gemm.Transpose(p.plan.variant, out[from*f.block:], f.block, words[(in-first)*p.InW+from-p.PadLeft:], n, channels,
			to-from)
	}
}

// products adds the products of some pixels, the first of which is from, to the sums of a block.
func (t *gradPairs) products(tile gemm.Tile, sums, staged, dy, panel []float32, from int) {
	p := (*BF16)(t)
	f, lane := &p.filter, p.plan.lane
	offsets := f.offsets[from:][:tile.K]
	tile.ARow, tile.ACol, tile.B, tile.BRow, tile.CRow = f.dyRow, 1, panel, lane, f.sumRow
	for col := 0; col < f.columns; col += lane {
		tile.Cols = min(lane, f.columns-col)
		if f.direct {
			tile.B, tile.BRow = staged[from*f.block+col:], f.block
		}
		for at := 0; at < tile.Cols && !f.direct; {
			run, in := (col+at)/f.run, (col+at)%f.run
			n := min(tile.Cols-at, f.run-in)
			gather(p.plan.variant, panel[at:], lane, staged[f.places[run]+in:], offsets, n)
			at += n
		}
		for i := range p.plan.strip.rowTiles {
			var o int
			o, tile.Rows = p.plan.filterTile(i)
			tile.A, tile.C = dy[o*f.dyRow:], sums[o*f.sumRow+col:]
			tile.RunPairs(p.plan.variant)
		}
	}
}

type sumGradPairs BF16

// Run adds the groups' sums of one filter.
func (t *sumGradPairs) Run(_, o int) {
	p := (*BF16)(t)
	f := &p.filter
	n := f.blocks * f.columns
	sums := f.sums[o*f.sumRow:][:n]
	add := vector.For(p.plan.variant).Add
	for g := 1; g < f.groups; g++ {
		add(sums, sums, f.sums[(g*p.OutC+o)*f.sumRow:][:n])
	}
	area := p.KH * p.KW
	for b := range f.blocks {
		c := b * f.block
		gemm.Transpose(p.plan.variant, f.dw[o*p.patch()+c*area:], area, sums[b*f.columns:], f.block, area,
			min(f.block, p.InC-c))
	}
}
