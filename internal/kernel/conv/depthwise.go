package conv

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
)

// Depthwise computes convolutions that apply Multiplier filters to each channel, and their gradients:
//
//	y[n, c*Multiplier+k, i, j] = Σ_{u,v} w[c, k, u, v] *
//	    x[n, c, i*StrideH - PadTop + u*DilH, j*StrideW - PadLeft + v*DilW]
//
// of a Geometry with OutC = InC * Multiplier. Each channel of an image is laid out with its padding, in StrideH *
// StrideW phases: phase (a, b) holds the pixels of rows a, a + StrideH, … and columns b, b + StrideW, …. The rows of a
// phase are longer than those of the result. The result is laid out in rows of the same length, with gaps at their
// ends. So a cell of the filter meets contiguous pixels of a phase, and a result is one call of a vector kernel, Taps.
// (If a weight or a pixel is not finite, its product with a gap or a zero of the padding is NaN.)
//
// A Depthwise computes one of them at a time. It belongs to one executor.
type Depthwise struct {
	Geometry
	Multiplier int

	vec        *vector.Set
	rows, cols int     // of a phase
	stretch    int     // length of a result with gaps, from its first pixel to its last
	at         []int32 // for each cell of a filter, the index in phases of the first pixel that it meets
	back       []back  // for each phase
	layout
	spread    int // length of a result with gaps, after a margin of zeros for the gradient
	margin    int
	perPart   int // channels of images
	channels  int // of a part of GradFilter, which sums them over all images
	perWorker int // elements of a worker's workspace

	task                int // of Run
	x, w, bias, y, work []float32
}

// back lists the cells of the filters of a channel that meet a phase: their numbers, and for each the index in the
// results with gaps of the first pixel that has a product with it.
type back struct {
	cells []int
	at    []int32
}

// NewDepthwise returns a Depthwise for a geometry whose InC divides OutC.
func NewDepthwise(v kernel.Variant, g Geometry) *Depthwise {
	d := &Depthwise{Geometry: g, Multiplier: g.OutC / g.InC, vec: vector.For(v)}
	d.rows = g.OutH + (g.KH-1)*g.DilH/g.StrideH
	d.cols = g.OutW + (g.KW-1)*g.DilW/g.StrideW
	d.stretch = (g.OutH-1)*d.cols + g.OutW
	phase := d.rows * d.cols
	for t := range g.KH * g.KW {
		h, w := t/g.KW*g.DilH, t%g.KW*g.DilW
		number := h%g.StrideH*g.StrideW + w%g.StrideW
		shift := h/g.StrideH*d.cols + w/g.StrideW
		d.at = append(d.at, int32(number*phase+shift))
		d.margin = max(d.margin, shift)
	}
	d.spread = align(d.margin + phase)
	d.back = make([]back, g.StrideH*g.StrideW)
	for k := range d.Multiplier {
		for t, at := range d.at {
			b := &d.back[int(at)/phase]
			b.cells = append(b.cells, k*len(d.at)+t)
			b.at = append(b.at, int32(k*d.spread+d.margin-int(at)%phase))
		}
	}
	d.layout = newLayout(v, g, d.rows, d.cols)
	const enough = 8 << 10 // elements
	d.perPart = max(1, enough/max(1, g.InH*g.InW))
	d.perWorker = d.phases + d.split + d.Multiplier*d.spread + align(d.Multiplier*len(d.at))
	return d
}

// CheckDepthwise returns an error if such a convolution is too large.
func (g Geometry) CheckDepthwise() error {
	rows := float64(g.OutH) + float64(g.KH-1)*float64(g.DilH)
	cols := float64(g.OutW) + float64(g.KW-1)*float64(g.DilW)
	if most := max(rows*cols*float64(g.StrideH)*float64(g.StrideW), float64(g.InH)*float64(g.InW)); most > math.MaxInt32 {
		return fmt.Errorf("a depthwise convolution counts %.3g numbers of a channel, and at most 2³¹ − 1: use smaller "+
			"images or less padding", most)
	}
	return nil
}

// Workspace returns the number of elements of scratch memory for some threads.
func (d *Depthwise) Workspace(threads int) int { return threads * d.perWorker }

// The tasks of Run.
const (
	depthwiseForward = iota
	depthwiseInput
	depthwiseFilter
)

// Forward sets y to the convolution of x with w, plus a bias for each channel of y. The bias may be nil.
func (d *Depthwise) Forward(pool *parallel.Pool, x, w, bias, y, work []float32) {
	d.bias = bias
	d.run(pool, depthwiseForward, ceil(d.Batch*d.InC, d.perPart), x, w, y, work)
	d.bias = nil
}

// GradInput sets dx to the gradient with respect to the images.
func (d *Depthwise) GradInput(pool *parallel.Pool, dy, w, dx, work []float32) {
	d.run(pool, depthwiseInput, ceil(d.Batch*d.InC, d.perPart), dx, w, dy, work)
}

// GradFilter sets dw to the gradient with respect to the filters. A filter's gradient is summed in the order of the
// images.
func (d *Depthwise) GradFilter(pool *parallel.Pool, x, dy, dw, work []float32) {
	d.channels = max(1, min(d.perPart, d.InC/(4*pool.Threads())))
	d.run(pool, depthwiseFilter, ceil(d.InC, d.channels), x, dw, dy, work)
}

func (d *Depthwise) run(pool *parallel.Pool, task, parts int, x, w, y, work []float32) {
	d.task, d.x, d.w, d.y, d.work = task, x, w, y, work
	pool.Do(parts, d)
	d.x, d.w, d.y, d.work = nil, nil, nil, nil
}

// Run computes some channels of images, or the gradients of some channels' filters.
func (d *Depthwise) Run(worker, part int) {
	work := d.work[worker*d.perWorker:][:d.perWorker]
	m := planes{phases: work[:d.phases], split: work[d.phases:][:d.split], spread: work[d.phases+d.split:]}
	if d.task == depthwiseFilter {
		d.gradFilter(m, part*d.channels, min((part+1)*d.channels, d.InC))
		return
	}
	for c := part * d.perPart; c < min((part+1)*d.perPart, d.Batch*d.InC); c++ {
		if d.task == depthwiseForward {
			d.forward(m, c)
		} else {
			d.gradInput(m, c)
		}
	}
}

// planes is the memory of a worker: a channel's phases and its columns by remainder, and results with gaps.
type planes struct{ phases, split, spread []float32 }

// image returns a channel of an image; part counts channels and images.
func (d *Depthwise) image(part int) []float32 { return d.x[part*d.InH*d.InW:][:d.InH*d.InW] }

// result returns the result of filter k for a channel of an image.
func (d *Depthwise) result(part, k int) []float32 {
	return d.y[(part*d.Multiplier+k)*d.OutH*d.OutW:][:d.OutH*d.OutW]
}

// filters returns the filters of a channel.
func (d *Depthwise) filters(channel int) []float32 {
	n := d.Multiplier * len(d.at)
	return d.w[channel*n:][:n]
}

func (d *Depthwise) forward(m planes, part int) {
	d.layOut(m.phases, m.split, d.image(part))
	filters := d.filters(part % d.InC)
	for k := range d.Multiplier {
		sum := m.spread[:d.stretch]
		// Sums begin at the first product: -0 + x is x.
		d.vec.Taps(sum, m.phases, d.at, filters[k*len(d.at):][:len(d.at)], negativeZero)
		if d.bias != nil {
			d.vec.AddScalar(sum, sum, d.bias[part%d.InC*d.Multiplier+k])
		}
		gemm.CopyRows(d.vec.Variant, d.result(part, k), d.OutW, sum, d.cols, d.OutH, d.OutW)
	}
}

var negativeZero = float32(math.Copysign(0, -1))

func (d *Depthwise) gradInput(m planes, part int) {
	filters := d.filters(part % d.InC)
	spread, weights := m.spread[:d.Multiplier*d.spread], m.spread[d.Multiplier*d.spread:]
	clear(spread)
	for k := range d.Multiplier {
		d.spreadOut(spread[k*d.spread+d.margin:], d.result(part, k))
	}
	size := d.rows * d.cols
	for i, b := range d.back {
		for t, cell := range b.cells {
			weights[t] = filters[cell]
		}
		d.vec.Taps(m.phases[i*size:][:size], spread, b.at, weights[:len(b.cells)], 0)
	}
	d.takeBack(d.image(part), m.split, m.phases)
}

// gradFilter computes the gradients of the filters of channels [from, to).
func (d *Depthwise) gradFilter(m planes, from, to int) {
	spread := m.spread[:d.OutH*d.cols]
	clear(spread)
	for c := from; c < to; c++ {
		clear(d.filters(c))
	}
	for n := range d.Batch {
		for c := from; c < to; c++ {
			filters, part := d.filters(c), n*d.InC+c
			d.layOut(m.phases, m.split, d.image(part))
			for k := range d.Multiplier {
				d.spreadOut(spread, d.result(part, k))
				for t, at := range d.at {
					filters[k*len(d.at)+t] += d.vec.Dot(m.phases[at:][:d.stretch], spread[:d.stretch])
				}
			}
		}
	}
}

// spreadOut copies a result into the layout with gaps. The gaps must be 0 already.
func (d *Depthwise) spreadOut(spread, y []float32) {
	gemm.CopyRows(d.vec.Variant, spread, d.cols, y, d.OutW, d.OutH, d.OutW)
}
