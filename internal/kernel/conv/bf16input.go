package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// pairedInput computes the gradient of the input, as [inputPlan] does, with pairs of filters. It is the Forward of
// pairs of channels if the filters are rotated. Otherwise pairs of dy and of the filters come first, and their products
// are those of a plan for half of the filters.
type pairedInput struct {
	p     *BF16
	words *Plan // of half of the filters; nil if the filters are rotated, or for float32
	zeros []float32

	dy, w, dyWords, wWords []float32 // of the current computation
}

func newPairedInput(p *BF16) *pairedInput {
	in := &pairedInput{p: p}
	switch t := p.plan.input.turned; {
	case p.OutC < leastTerms || p.InC < leastResults:
	case t != nil:
		p.plan.input.turned = newPairs(p.plan.variant, t.Geometry)
	default:
		g := p.Geometry
		g.OutC = ceil(p.OutC, 2)
		in.words = &Plan{Geometry: g, variant: p.plan.variant, tileRows: p.plan.tileRows, lane: p.plan.lane,
			stage: p.plan.stage, bf16: &channelPairs{}}
		in.words.input = newInputPlan(in.words)
		in.zeros = make([]float32, max(p.pixels(), p.patch()))
	}
	return in
}

func (in *pairedInput) work(threads int) int {
	if in.words == nil {
		return in.p.plan.inputWork(threads)
	}
	return align(in.p.Batch*in.words.ySize()) + align(in.words.filters()) + in.words.inputWork(threads)
}

func (in *pairedInput) run(pool *parallel.Pool, dy, w, dx, work []float32) {
	p := in.p
	if in.words == nil {
		p.plan.GradInput(pool, dy, w, dx, work)
		return
	}
	take := func(n int) []float32 {
		x := work[:n]
		work = work[align(n):]
		return x
	}
	in.dy, in.w = dy, w
	in.dyWords, in.wWords = take(p.Batch*in.words.ySize()), take(in.words.filters())
	pool.Do(p.Batch+1, in)
	in.words.GradInput(pool, in.dyWords, in.wWords, dx, work)
	in.dy, in.w, in.dyWords, in.wWords = nil, nil, nil, nil
}

// Run makes the pairs of one example's dy, or those of the filters.
func (in *pairedInput) Run(_, i int) {
	p := in.p
	dst, x, size := in.wWords, in.w, p.patch()
	if i < p.Batch {
		dst, x, size = in.dyWords[i*in.words.ySize():], in.dy[i*p.ySize():], p.pixels()
	}
	for o := range in.words.OutC {
		high := in.zeros
		if 2*o+1 < p.OutC {
			high = x[(2*o+1)*size:]
		}
		gemm.PairRows(p.plan.variant, dst[o*size:][:size], x[2*o*size:], high)
	}
}
