package conv

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/kernel"
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
// ends. So a cell of the filter meets contiguous pixels of a phase, and takes one call of a vector kernel. (If a weight
// or a pixel is not finite, its product with a gap or a zero of the padding is NaN.)
//
// A Depthwise computes one of them at a time. It belongs to one executor.
type Depthwise struct {
	Geometry
	Multiplier int

	vec            *vector.Set
	rows, cols     int    // of a phase
	stretch        int    // length of a result with gaps, from its first pixel to its last
	phases, spread int    // sizes in a worker's workspace
	at             []int  // for each cell of a filter, the index in phases of the first pixel that it meets
	spans          []span // for each phase of a row, its columns in the image

	task                int // of Run
	x, w, bias, y, work []float32
}

// NewDepthwise returns a Depthwise for a geometry whose InC divides OutC.
func NewDepthwise(v kernel.Variant, g Geometry) *Depthwise {
	d := &Depthwise{Geometry: g, Multiplier: g.OutC / g.InC, vec: vector.For(v)}
	d.rows = g.OutH + (g.KH-1)*g.DilH/g.StrideH
	d.cols = g.OutW + (g.KW-1)*g.DilW/g.StrideW
	d.stretch = (g.OutH-1)*d.cols + g.OutW
	d.phases = align(g.StrideH * g.StrideW * d.rows * d.cols)
	d.spread = align(g.OutH * d.cols)
	for t := range g.KH * g.KW {
		h, w := t/g.KW*g.DilH, t%g.KW*g.DilW
		phase := h%g.StrideH*g.StrideW + w%g.StrideW
		d.at = append(d.at, (phase*d.rows+h/g.StrideH)*d.cols+w/g.StrideW)
	}
	for b := range g.StrideW {
		d.spans = append(d.spans, d.span(b))
	}
	return d
}

// span is the range of a phase's columns that are in the image: column j of phase b is the image's column j*StrideW + b
// - PadLeft.
type span struct{ from, to, first int } // first: the image's column for from, if the phase has it

func (d *Depthwise) span(b int) span {
	from := max(0, (d.PadLeft-b+d.StrideW-1)/d.StrideW)
	s := span{from: min(from, d.cols), first: from*d.StrideW + b - d.PadLeft}
	if last := d.InW - 1 + d.PadLeft - b; last >= 0 {
		s.to = min(d.cols, last/d.StrideW+1)
	}
	s.to = max(s.from, s.to)
	return s
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
func (d *Depthwise) Workspace(threads int) int { return threads * (d.phases + d.spread) }

// The tasks of Run.
const (
	depthwiseForward = iota
	depthwiseInput
	depthwiseFilter
)

// Forward sets y to the convolution of x with w, plus a bias for each channel of y. The bias may be nil.
func (d *Depthwise) Forward(pool *parallel.Pool, x, w, bias, y, work []float32) {
	d.bias = bias
	d.run(pool, depthwiseForward, d.Batch*d.InC, x, w, y, work)
	d.bias = nil
}

// GradInput sets dx to the gradient with respect to the images.
func (d *Depthwise) GradInput(pool *parallel.Pool, dy, w, dx, work []float32) {
	d.run(pool, depthwiseInput, d.Batch*d.InC, dx, w, dy, work)
}

// GradFilter sets dw to the gradient with respect to the filters. A filter's gradient is summed in the order of the
// images.
func (d *Depthwise) GradFilter(pool *parallel.Pool, x, dy, dw, work []float32) {
	d.run(pool, depthwiseFilter, d.InC, x, dw, dy, work)
}

func (d *Depthwise) run(pool *parallel.Pool, task, parts int, x, w, y, work []float32) {
	d.task, d.x, d.w, d.y, d.work = task, x, w, y, work
	pool.Do(parts, d)
	d.x, d.w, d.y, d.work = nil, nil, nil, nil
}

// Run computes a channel of an image, or the gradient of a channel's filters.
func (d *Depthwise) Run(worker, part int) {
	work := d.work[worker*(d.phases+d.spread):][:d.phases+d.spread]
	phases, spread := work[:d.phases], work[d.phases:]
	switch d.task {
	case depthwiseForward:
		d.layOut(phases, d.image(part))
		for k := range d.Multiplier {
			d.forward(phases, spread, part, k)
		}
	case depthwiseInput:
		clear(phases)
		clear(spread)
		for k := range d.Multiplier {
			d.gradInput(phases, spread, part, k)
		}
		d.takeBack(d.image(part), phases)
	case depthwiseFilter:
		taps := d.KH * d.KW
		filters := d.w[part*d.Multiplier*taps:][:d.Multiplier*taps]
		clear(filters)
		clear(spread)
		for n := range d.Batch {
			d.layOut(phases, d.image(n*d.InC+part))
			for k := range d.Multiplier {
				d.spreadOut(spread, d.result(n*d.InC+part, k))
				for t := range taps {
					filters[k*taps+t] += d.vec.Dot(phases[d.at[t]:][:d.stretch], spread[:d.stretch])
				}
			}
		}
	}
}

// image returns a channel of an image; part counts channels and images.
func (d *Depthwise) image(part int) []float32 { return d.x[part*d.InH*d.InW:][:d.InH*d.InW] }

// result returns the result of filter k for a channel of an image.
func (d *Depthwise) result(part, k int) []float32 {
	return d.y[(part*d.Multiplier+k)*d.OutH*d.OutW:][:d.OutH*d.OutW]
}

// filter returns filter k of a channel.
func (d *Depthwise) filter(channel, k int) []float32 {
	return d.w[(channel*d.Multiplier+k)*d.KH*d.KW:][:d.KH*d.KW]
}

func (d *Depthwise) forward(phases, spread []float32, part, k int) {
	sum := spread[:d.stretch]
	for t, w := range d.filter(part%d.InC, k) {
		if pixels := phases[d.at[t]:][:d.stretch]; t == 0 {
			d.vec.MulScalar(sum, pixels, w)
		} else {
			d.vec.Axpy(sum, pixels, w)
		}
	}
	if d.bias != nil {
		d.vec.AddScalar(sum, sum, d.bias[part%d.InC*d.Multiplier+k])
	}
	y := d.result(part, k)
	for i := range d.OutH {
		copy(y[i*d.OutW:][:d.OutW], spread[i*d.cols:])
	}
}

func (d *Depthwise) gradInput(phases, spread []float32, part, k int) {
	d.spreadOut(spread, d.result(part, k))
	for t, w := range d.filter(part%d.InC, k) {
		d.vec.Axpy(phases[d.at[t]:][:d.stretch], spread[:d.stretch], w)
	}
}

// spreadOut copies a result into the layout with gaps. The gaps must be 0 already.
func (d *Depthwise) spreadOut(spread, y []float32) {
	for i := range d.OutH {
		copy(spread[i*d.cols:], y[i*d.OutW:][:d.OutW])
	}
}

// layOut fills the phases of a channel of an image.
func (d *Depthwise) layOut(phases, x []float32) {
	for a := range d.StrideH {
		for i := range d.rows {
			h := i*d.StrideH + a - d.PadTop
			for b, s := range d.spans {
				row := phases[((a*d.StrideW+b)*d.rows+i)*d.cols:][:d.cols]
				if h < 0 || h >= d.InH {
					clear(row)
					continue
				}
				clear(row[:s.from])
				clear(row[s.to:])
				d.gather(row[s.from:s.to], x[h*d.InW:][:d.InW], s.first)
			}
		}
	}
}

// gather sets row to every StrideW-th pixel from index first on.
func (d *Depthwise) gather(row, pixels []float32, first int) {
	if d.StrideW == 1 {
		copy(row, pixels[first:])
		return
	}
	for j := range row {
		row[j] = pixels[first]
		first += d.StrideW
	}
}

// takeBack is the inverse of layOut. Pixels that no cell of a filter meets become 0.
func (d *Depthwise) takeBack(x, phases []float32) {
	for h := range d.InH {
		pixels := x[h*d.InW:][:d.InW]
		a, i := (h+d.PadTop)%d.StrideH, (h+d.PadTop)/d.StrideH
		if i >= d.rows {
			clear(pixels)
			continue
		}
		for b, s := range d.spans {
			d.scatter(pixels, phases[((a*d.StrideW+b)*d.rows+i)*d.cols:][s.from:s.to], s.first)
		}
	}
}

// scatter sets every StrideW-th pixel from index first on to the elements of a row, and later pixels to 0.
func (d *Depthwise) scatter(pixels, row []float32, first int) {
	if d.StrideW == 1 {
		clear(pixels[copy(pixels, row):])
		return
	}
	for _, v := range row {
		pixels[first] = v
		first += d.StrideW
	}
	for ; first < d.InW; first += d.StrideW {
		pixels[first] = 0
	}
}
