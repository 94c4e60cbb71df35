package conv

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// BF16 computes the convolutions of one geometry with factors that it rounds to bfloat16. Sums are float32, and a sum
// adds two terms at a time: see [gemm.Tile.RunPairs]. Such results have the same bits in all variants. BF16 has the
// independence of a [Plan], and belongs to one executor.
//
// Where pairs are not faster, BF16 computes in float32: with few channels or filters, and GradFilter with one example.
type BF16 struct {
	Geometry
	plan *Plan // in float32

	forward *Plan // of pairs of input channels, or plan
	input   *pairedInput
	filter  examplePairs
}

// The least numbers for which sums of pairs are faster. A gathered patch serves all channels of the result, so those
// must be more than the terms.
const (
	leastTerms   = 8  // channels that are summed
	leastResults = 12 // channels of the result
	leastPatch   = 27 // elements of a filter, for its gradient
)

// NewBF16 plans the convolutions of one geometry, as [New] does. The kernels of AVX-512 need a processor with
// kernel.HasBF16.
func NewBF16(v kernel.Variant, g Geometry) *BF16 {
	p := &BF16{Geometry: g, plan: New(v, g)}
	if p.forward = p.plan; g.InC >= leastTerms && g.OutC >= leastResults {
		p.forward = newPairs(v, g)
	}
	p.input = newPairedInput(p)
	p.filter = newExamplePairs(p)
	return p
}

// Follow lets f continue with the elements of Forward's result.
func (p *BF16) Follow(f gemm.Follower) { p.forward.Follow(f) }

// PackedSize is [Plan.PackedSize].
func (p *BF16) PackedSize() int { return p.forward.PackedSize() }

// Pack is [Plan.Pack].
func (p *BF16) Pack(dst, w []float32) { p.forward.Pack(dst, w) }

// ReadPacked says that Forward's filters are those of Pack.
func (p *BF16) ReadPacked() { p.forward.ReadPacked() }

// Workspace is [Plan.Workspace].
func (p *BF16) Workspace(threads int) int {
	return max(p.forward.forwardWork(threads), p.input.work(threads), p.filter.work(p, threads))
}

// Forward computes y from x, w and bias, as [Plan.Forward] does.
func (p *BF16) Forward(pool *parallel.Pool, x, w, bias, y, work []float32) {
	p.forward.Forward(pool, x, w, bias, y, work)
}

// GradInput computes dx from dy and w, as [Plan.GradInput] does.
func (p *BF16) GradInput(pool *parallel.Pool, dy, w, dx, work []float32) {
	needInput(p.Geometry, dy, w, dx)
	need("workspace", work, p.input.work(pool.Threads()))
	p.input.run(pool, dy, w, dx, work)
}

// GradFilter computes dw from x and dy, as [Plan.GradFilter] does.
func (p *BF16) GradFilter(pool *parallel.Pool, x, dy, dw, work []float32) {
	needFilter(p.Geometry, x, dy, dw)
	need("workspace", work, p.filter.work(p, pool.Threads()))
	if !p.filter.used {
		p.plan.GradFilter(pool, x, dy, dw, work)
		return
	}
	p.filter.start(p, pool, x, dy, dw, work)
}

// newPairs returns a plan of Forward whose sums have pairs of channels.
func newPairs(v kernel.Variant, g Geometry) *Plan {
	p := &Plan{Geometry: g, variant: v}
	p.bf16 = &channelPairs{channels: g.InC, zeros: make([]float32, max(g.InW, g.KH*g.KW))}
	p.InC = ceil(g.InC, 2)
	p.tileRows, p.lane = gemm.Size(v)
	planForward(p)
	return p
}

// channelPairs makes pairs of neighbouring channels: each element of the result holds two terms of the sums.
type channelPairs struct {
	channels int
	zeros    []float32 // the neighbour of a channel without one
}

// line is the length of a worker's memory for a row of the input.
func (b *channelPairs) line(p *Plan) int {
	if b == nil || p.StrideW == 1 {
		return 0
	}
	return align(p.InW)
}

// pack makes the pairs of a filter.
func (b *channelPairs) pack(p *Plan, dst, w []float32) {
	area := p.KH * p.KW
	if area == 1 {
		gemm.PairNeighbours(p.variant, dst, w)
		return
	}
	for c := range p.InC {
		gemm.PairRows(p.variant, dst[c*area:][:area], w[2*c*area:], b.second(w, 2*c+1, area))
	}
}

// second returns the second channel of a pair. If there is none, it returns a row of zeros, which serves as all rows.
func (b *channelPairs) second(x []float32, channel, size int) []float32 {
	if channel >= b.channels {
		return b.zeros
	}
	return x[channel*size:][:size]
}

// fill is stage.fill with pairs of all channels.
func (b *channelPairs) fill(p *Plan, scratch, x []float32, row0, row1 int) {
	s := &p.stage
	size := p.InH * p.InW
	line := scratch[len(scratch)-b.line(p):]
	for c := range p.InC {
		low, dst := x[2*c*size:][:size], scratch[c*s.channelSize:][:s.channelSize]
		high, step := b.second(x, 2*c+1, size), p.InW
		if 2*c+1 == b.channels {
			step = 0
		}
		b.channel(p, dst, low, high, step, line, row0, row1)
	}
}

// channel stages rows [row0, row1) of a pair of channels. step is from a row of the second one to the next.
func (b *channelPairs) channel(p *Plan, dst, low, high []float32, step int, line []float32, row0, row1 int) {
	s := &p.stage
	inside0, inside1 := min(max(row0, p.PadTop), row1), max(row0, min(row1, p.PadTop+p.InH))
	clear(dst[row0*s.width : inside0*s.width])
	clear(dst[max(inside0, inside1)*s.width : row1*s.width])
	if inside0 >= inside1 {
		return
	}
	if p.StrideW == 1 && p.PadLeft == 0 && s.width == p.InW && step > 0 {
		at := (inside0 - p.PadTop) * p.InW
		gemm.PairRows(p.variant, dst[inside0*s.width:inside1*s.width], low[at:], high[at:])
		return
	}
	from, to := s.inside(s.width, p.PadLeft)
	for r := inside0; r < inside1; r++ {
		out, low, high := dst[r*s.width:][:s.width], low[(r-p.PadTop)*p.InW:][:p.InW], high[(r-p.PadTop)*step:]
		if p.StrideW > 1 {
			gemm.PairRows(p.variant, line[:p.InW], low, high)
			s.columns(out, line[:p.InW])
			continue
		}
		clear(out[:from])
		if to > from {
			gemm.PairRows(p.variant, out[from:to], low[from-p.PadLeft:], high[from-p.PadLeft:])
		}
		clear(out[to:])
	}
}
