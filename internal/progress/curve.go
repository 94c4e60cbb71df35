package progress

import (
	"math"
	"strings"
)

// Curve draws a series of numbers in a line of text, as a sparkline. It keeps their means, of a few hundred numbers at
// most.
type Curve struct {
	means []mean
	each  int // how many numbers a mean has
}

// mean is the mean of the finite ones among some numbers.
type mean struct {
	sum    float64
	finite int
	all    int
}

func (m *mean) add(o mean) {
	m.sum += o.sum
	m.finite += o.finite
	m.all += o.all
}

// mostMeans is how many means a curve keeps; then two become one.
const mostMeans = 256

// Add appends a number. One that is not finite is shown, but has no height.
func (c *Curve) Add(x float64) {
	m := mean{all: 1}
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		m.sum, m.finite = x, 1
	}
	if n := len(c.means); n > 0 && c.means[n-1].all < c.each {
		c.means[n-1].add(m)
		return
	}
	if len(c.means) == mostMeans {
		for i := range mostMeans / 2 {
			c.means[i] = c.means[2*i]
			c.means[i].add(c.means[2*i+1])
		}
		c.means = c.means[:mostMeans/2]
		c.each *= 2
	}
	c.each = max(1, c.each)
	c.means = append(c.means, m)
}

// heights are the cells of a curve, from the least number to the greatest; notFinite is one without a number.
const (
	heights   = "▁▂▃▄▅▆▇█"
	notFinite = "×"
)

// Text is the curve in at most so many cells.
func (c *Curve) Text(cells int) string {
	n := min(cells, len(c.means))
	all := make([]mean, n)
	for i, m := range c.means {
		all[i*n/len(c.means)].add(m)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range all {
		if m.finite > 0 {
			low, high = min(low, m.sum/float64(m.finite)), max(high, m.sum/float64(m.finite))
		}
	}
	levels := []rune(heights)
	var s strings.Builder
	for _, m := range all {
		if m.finite == 0 {
			s.WriteString(notFinite)
			continue
		}
		at := 0.0
		if high > low {
			at = (m.sum/float64(m.finite) - low) / (high - low)
		}
		s.WriteRune(levels[min(len(levels)-1, int(at*float64(len(levels))))])
	}
	return s.String()
}
