package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
)

// outerPlan is the plan for the gradient of the filters if input channels fill vectors. The input is staged with its
// channels innermost, and each position in the filter sums products of dy's elements and vectors of channels. Groups
// of examples have their own sums, which are added at the end in order. A group processes its examples by bands of
// output rows. It sums a band's pixels a block at a time, so that the block's input stays in the first-level cache for
// all positions and filters. Filters with three rows take pairs of output rows (outerpairs.go). If a few channels leave
// lanes of a vector empty, the cells of a row of the filter are joined: their channels follow each other in the staged
// input. All this depends on the geometry only.
type outerPlan struct {
	used          bool
	lanes         int // of a vector
	block, blocks int // of input channels
	share         int // blocks of a task
	groups        int
	examples      int  // in a band; 1 unless it has all their rows
	rows          int  // output rows in a band
	height, width int  // of a staged band
	joined        bool // there is one block, and vectors hold channels of adjacent cells
	pairs         bool
	images        int   // of a staged band: 1, or the combinations of rows
	lines         int   // rows of pixels of an image that are summed
	places        []int // in an image: of the positions in the filter, or of its rows if cells are joined
	place         int   // sums of a place
	positions     int   // number of sums for a filter and an input channel
	offsets       []int32
	sumRow        int // distance between the sums of two filters
}

// outerPixels is the number of pixels that are summed before the sum is added to memory.
const outerPixels = 128

func newOuterPlan(p *Plan) outerPlan {
	const (
		enough = 8         // tasks
		staged = 128 << 10 // floats: within the second-level cache
	)
	f := outerPlan{lanes: p.lane / 2, width: (p.OutW-1)*p.StrideW + (p.KW-1)*p.DilW + 1}
	vectors := ceil(p.InC, f.lanes)
	f.joined = p.DilW == 1 && p.InC%f.lanes > 0 && vectors <= 4
	row := p.InC // channels of a place
	if f.joined {
		row *= p.KW
	}
	f.used = p.KH*p.KW > 1 && p.OutC >= 4 && 4*row >= 3*ceil(row, f.lanes)*f.lanes
	if !f.used {
		return f
	}
	f.block = min(2, vectors) * f.lanes
	if f.joined {
		f.block = p.InC
	}
	f.blocks = ceil(p.InC, f.block)
	f.groups = max(1, min(p.Batch, enough))
	f.share = ceil(f.blocks, ceil(enough, f.groups))
	if f.pairs = p.KH == 3 && p.StrideH == 1 && p.DilH == 1 && p.OutH > 1; f.pairs {
		f.images = combinations
	} else {
		f.images = 1
	}
	f.examples = 1
	for f.rows = p.OutH; ; f.rows = ceil(f.rows, 2) {
		if f.pairs {
			f.lines = ceil(f.rows, 2)
			f.rows = 2 * f.lines
			f.height = f.lines
		} else {
			f.lines = f.rows
			f.height = (f.rows-1)*p.StrideH + (p.KH-1)*p.DilH + 1
		}
		if f.lines == 1 || f.share*f.stagedBlock()+f.packed(p) <= staged {
			break
		}
	}
	if pixels := f.lines * p.OutW; f.rows >= p.OutH {
		f.examples = max(1, min(ceil(p.Batch, f.groups), outerPixels/pixels, staged/(f.share*f.stagedBlock()+f.packed(p))))
	}
	for u := range p.KH {
		for v := range p.KW {
			if (u == 0 || !f.pairs) && (v == 0 || !f.joined) {
				f.places = append(f.places, (u*p.DilH*f.width+v*p.DilW)*f.block)
			}
		}
	}
	for e := range f.examples {
		for r := range f.lines {
			for c := range p.OutW {
				f.offsets = append(f.offsets, int32(e*f.example()+(r*p.StrideH*f.width+c*p.StrideW)*f.block))
			}
		}
	}
	f.place = f.blocks * f.block
	f.positions = f.images * len(f.places)
	if f.joined {
		f.place *= p.KW
		f.positions *= p.KW
	}
	if f.sumRow = f.images * len(f.places) * f.place; gemm.Aliases(f.sumRow) {
		f.sumRow += 16
	}
	return f
}

// image returns the number of floats in an image of one block of channels.
func (f *outerPlan) image() int { return f.height * f.width * f.block }

// stagedBlock returns the number of floats in an example's band of one block of channels.
func (f *outerPlan) stagedBlock() int { return f.images * f.image() }

// example returns the number of floats in an example's band.
func (f *outerPlan) example() int { return f.share * f.stagedBlock() }

// pixels returns the number of pixels that are summed in a band.
func (f *outerPlan) pixels(p *Plan) int { return f.examples * f.lines * p.OutW }

// packed returns the number of floats in a band of dy.
func (f *outerPlan) packed(p *Plan) int { return f.images * p.OutC * f.pixels(p) }

// staged returns the length of a band's input. The kernel reads beyond it, but does not use those values.
func (f *outerPlan) staged() int { return align(f.examples*f.example() + f.lanes) }

func (p *Plan) outerScratch() int {
	f := &p.outer
	return f.staged() + align(f.packed(p)) + f.rowsOfPairs()
}

func (p *Plan) outerWork(threads int) int {
	return threads*p.outerScratch() + p.outer.groups*p.OutC*p.outer.sumRow
}

// gradOuter starts the computation of a call.
func (p *Plan) gradOuter(pool *parallel.Pool) {
	n := pool.Threads() * p.outerScratch()
	p.call.packed, p.call.work = p.call.work[n:], p.call.work[:n]
	pool.Do(p.outer.groups*ceil(p.outer.blocks, p.outer.share), (*gradOuter)(p))
	pool.Do(p.OutC, (*sumOuter)(p))
}

type gradOuter Plan

// Run computes the sums of one group of examples for some blocks of input channels.
func (t *gradOuter) Run(worker, i int) {
	p := (*Plan)(t)
	f := &p.outer
	group, block0 := i%f.groups, i/f.groups*f.share
	block1 := min(f.blocks, block0+f.share)
	scratch := p.call.work[worker*p.outerScratch():][:p.outerScratch()]
	staged, packed := scratch, scratch[f.staged():]
	spare := packed[align(f.packed(p)):]
	d := window{BNext: f.lanes, CNext: f.lanes, CRow: f.sumRow}
	d.C = p.call.packed[group*p.OutC*f.sumRow:]
	first, last := group*p.Batch/f.groups, (group+1)*p.Batch/f.groups
	for e := first; e < last; e += f.examples {
		examples := min(f.examples, last-e)
		for row := 0; row < p.OutH; row += f.rows {
			pixels := 0
			for i := range examples {
				pixels += f.band(p, staged[i*f.example():], packed, spare, e+i, block0, block1, row, pixels)
			}
			for from := 0; from < pixels; from += outerPixels {
				d.K = min(outerPixels, pixels-from)
				d.Offsets = f.offsets[from:]
				for b := block0; b < block1; b++ {
					p.outerProducts(d, staged[(b-block0)*f.stagedBlock():], packed, b*f.block, from)
				}
				d.Add = 1
			}
		}
	}
}

// outerProducts sums a block of pixels, starting at from, for one block of input channels, starting at c.
func (p *Plan) outerProducts(d window, staged, packed []float32, c, from int) {
	f := &p.outer
	sums := d.C
	columns := min(f.block, p.InC-c)
	if f.joined {
		columns *= p.KW
	}
	for image := range f.images {
		for tile := range p.strip.rowTiles {
			o, n := p.filterTile(tile)
			d.Rows = n
			d.A = packed[(image*p.OutC+o)*f.pixels(p)+from*n:]
			at := o*f.sumRow + c + image*len(f.places)*f.place
			for _, place := range f.places {
				for col := 0; col < columns; col += 2 * f.lanes {
					d.Cols[0] = min(f.lanes, columns-col)
					d.Cols[1] = min(f.lanes, columns-col-d.Cols[0])
					d.B = staged[image*f.image()+place+col:]
					d.C = sums[at+col:]
					d.run(p.variant)
				}
				at += f.place
			}
		}
	}
}

type sumOuter Plan

// Run adds the groups' sums of one filter.
func (t *sumOuter) Run(_, o int) {
	p := (*Plan)(t)
	f := &p.outer
	n := f.positions * f.blocks * f.block
	sums := p.call.packed[o*f.sumRow:][:n]
	add := vector.For(p.variant).Add
	for g := 1; g < f.groups; g++ {
		add(sums, sums, p.call.packed[(g*p.OutC+o)*f.sumRow:][:n])
	}
	dst := p.call.w[o*p.patch():][:p.patch()]
	if f.pairs {
		f.sumPairs(p, dst, sums)
		return
	}
	gemm.Transpose(p.variant, dst, p.KH*p.KW, sums, f.blocks*f.block, p.KH*p.KW, p.InC)
}
