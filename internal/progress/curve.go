package progress

import (
	"math"
	"strings"
)

// Curve draws a series of numbers as a sparkline in a line of text. It keeps at most a few hundred means of the
// numbers.
type Curve struct {
	means []mean
	each  int // number of values in a mean
}

// mean is the mean of the finite values among some values.
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

// mostMeans is the maximum number of means of a curve; then pairs are merged.
const mostMeans = 256

// Add appends a number. One that is not finite is shown without a height.
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

// heights are the cells of a curve, from the lowest number to the highest; notFinite is a cell without a finite
// number.
const (
	heights   = "▁▂▃▄▅▆▇█"
	notFinite = "×"
)

// Text returns the curve in at most the given number of cells.
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
