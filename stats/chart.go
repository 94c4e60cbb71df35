package stats

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// chart draws series over iterations as a separate SVG.
type chart struct {
	title string
	lines []line
	log   bool        // the values' axis is logarithmic; values that are not positive are omitted
	band  [2]float64  // of healthy values, shaded; none if both are 0
	heat  []Histogram // shaded below the lines
}

// line is a series in a chart. Its colour is one of the page's variables --p0 to --p17.
type line struct {
	label  string
	colour int
	pale   bool
	Series
}

// paleOpacity is the opacity of pale lines.
const paleOpacity = "0.45"

// lineColour returns one of the page's 18 colours for line i. Neighbours have clearly different colours.
func lineColour(i int) int { return (13 + 5*i) % 18 }

// The dimensions of charts, in pixels.
const (
	chartWidth, chartHeight = 640, 260
	chartLeft, chartRight   = 62, 632
	chartTop, chartBottom   = 10, 226
	chartColumns            = 285 // each shows the minimum and the maximum of its points
)

// write draws the chart, with a table of the lines' minimum, maximum and last values for people who can't see it. It
// draws nothing if no line has a finite value.
func (c *chart) write(b *strings.Builder) {
	box, ok := c.bounds()
	if !ok {
		return
	}
	fmt.Fprintf(b, "<figure class=\"chart\"><figcaption>%s</figcaption><svg xmlns=\"http://www.w3.org/2000/svg\" "+
		"viewBox=\"0 0 %d %d\" tabindex=\"0\" role=\"img\" aria-label=\"%s over iterations\">\n",
		html.EscapeString(c.title), chartWidth, chartHeight, html.EscapeString(c.title))
	c.writeBand(b, box)
	c.writeHeat(b, box)
	c.writeAxes(b, box)
	for i := range c.lines {
		c.writeLine(b, box, &c.lines[i])
	}
	b.WriteString("</svg>\n<p class=\"keys\">")
	for _, l := range c.lines {
		last, ok := l.Last()
		if !ok {
			continue
		}
		pale := ""
		if l.pale {
			pale = ";opacity:" + paleOpacity
		}
		fmt.Fprintf(b, "<span><span class=\"dot\" style=\"background:var(--p%d)%s\"></span>%s <b>%s</b></span> ", l.colour,
			pale, html.EscapeString(l.label), figure(last))
	}
	b.WriteString("</p></figure>\n")
}

// box is the part of the plane that a chart shows.
type box struct{ left, right, low, high float64 }

func (c *chart) value(v float64) (float64, bool) {
	if c.log {
		if v <= 0 {
			return 0, false
		}
		v = math.Log10(v)
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (c *chart) bounds() (b box, ok bool) {
	b = box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, l := range c.lines {
		for i, v := range l.Values {
			if v, finite := c.value(v); finite {
				at := float64(l.Iterations[i])
				b.left, b.right = min(b.left, at), max(b.right, at)
				b.low, b.high = min(b.low, v), max(b.high, v)
			}
		}
	}
	if b.left > b.right {
		return b, false
	}
	if len(c.heat) > 0 {
		low, high := c.heatRange()
		b.low, b.high = min(b.low, low), max(b.high, high)
	}
	if b.left == b.right {
		b.right++
	}
	if c.log {
		if c.band != [2]float64{} {
			b.low, b.high = min(b.low, math.Log10(c.band[0])), max(b.high, math.Log10(c.band[1]))
		}
		b.low, b.high = math.Floor(b.low), math.Ceil(b.high)
	}
	if b.low == b.high {
		around := math.Abs(b.low) / 2
		if around == 0 || c.log {
			around = 0.5
		}
		b.low, b.high = b.low-around, b.high+around
	}
	return b, true
}

func (b box) x(at float64) float64 {
	return chartLeft + (at-b.left)/(b.right-b.left)*(chartRight-chartLeft)
}

func (b box) y(v float64) float64 {
	return chartBottom - (min(max(v, b.low), b.high)-b.low)/(b.high-b.low)*(chartBottom-chartTop)
}

func (c *chart) writeBand(b *strings.Builder, box box) {
	if c.band == [2]float64{} {
		return
	}
	low, _ := c.value(c.band[0])
	high, _ := c.value(c.band[1])
	top, bottom := box.y(high), box.y(low)
	fmt.Fprintf(b, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"var(--p14)\" fill-opacity=\"0.13\">"+
		"<title>healthy: %s to %s</title></rect>\n", chartLeft, top, chartRight-chartLeft, max(0, bottom-top),
		figure(c.band[0]), figure(c.band[1]))
}

func (c *chart) writeAxes(b *strings.Builder, box box) {
	for _, v := range ticks(box.low, box.high, c.log) {
		label := v
		if c.log {
			label = math.Pow(10, v)
		}
		fmt.Fprintf(b, "<path d=\"M%d %.1fH%d\" stroke=\"var(--grid)\"/><text class=\"faint\" x=\"%d\" y=\"%.1f\" "+
			"text-anchor=\"end\">%s</text>\n", chartLeft, box.y(v), chartRight, chartLeft-6, box.y(v)+4, figure(label))
	}
	for _, at := range ticks(box.left, box.right, false) {
		if at != math.Trunc(at) {
			continue
		}
		anchor := "middle"
		if box.x(at) > chartRight-15 {
			anchor = "end"
		}
		fmt.Fprintf(b, "<text class=\"faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", box.x(at),
			chartBottom+17, anchor, thousands(int(at)))
	}
	fmt.Fprintf(b, "<text class=\"faint\" x=\"%d\" y=\"%d\" text-anchor=\"end\">iterations</text>\n", chartRight,
		chartHeight-2)
}

// writeLine draws a line through the minimum and the maximum of each column of pixels.
func (c *chart) writeLine(b *strings.Builder, box box, l *line) {
	var path strings.Builder
	move := "M"
	points := 0
	for i := 0; i < len(l.Values); {
		column := int((box.x(float64(l.Iterations[i])) - chartLeft) / (chartRight - chartLeft) * chartColumns)
		least, most := -1, -1
		for ; i < len(l.Values); i++ {
			if int((box.x(float64(l.Iterations[i]))-chartLeft)/(chartRight-chartLeft)*chartColumns) != column {
				break
			}
			if _, ok := c.value(l.Values[i]); !ok {
				continue
			}
			if least < 0 || l.Values[i] < l.Values[least] {
				least = i
			}
			if most < 0 || l.Values[i] > l.Values[most] {
				most = i
			}
		}
		if least < 0 {
			move = "M"
			continue
		}
		for _, k := range []int{min(least, most), max(least, most)} {
			v, _ := c.value(l.Values[k])
			fmt.Fprintf(&path, "%s%.1f %.1f", move, box.x(float64(l.Iterations[k])), box.y(v))
			if move == "M" {
				path.WriteString("h0") // a dot, if no other point follows
			}
			move = "L"
			points++
			if least == most {
				break
			}
		}
	}
	width, opacity := "2", "1"
	switch {
	case points == 1:
		width = "7"
	case l.pale:
		width, opacity = "1", paleOpacity
	}
	label := html.EscapeString(l.label)
	fmt.Fprintf(b, "<g data-label=\"%s\" data-points=\"%s\"><path d=\"%s\" fill=\"none\" stroke=\"var(--p%d)\" ", label,
		c.sample(box, l), path.String(), l.colour)
	fmt.Fprintf(b, "stroke-width=\"%s\" stroke-opacity=\"%s\" stroke-linecap=\"round\"/><title>%s</title></g>\n", width,
		opacity,
		label)
}

// sample returns evenly spaced points for the pointer and the arrow keys: x, y, iteration and value of each.
func (c *chart) sample(box box, l *line) string {
	const most = 200
	var out strings.Builder
	step := max(1, (len(l.Values)+most-1)/most)
	for i := 0; i < len(l.Values); i += step {
		if last := len(l.Values) - 1; i+step > last {
			i = last
		}
		v, ok := c.value(l.Values[i])
		if !ok {
			continue
		}
		fmt.Fprintf(&out, "%.0f,%.0f,%d,%s;", box.x(float64(l.Iterations[i])), box.y(v), l.Iterations[i],
			figure(l.Values[i]))
	}
	return strings.TrimSuffix(out.String(), ";")
}

// ticks returns about five round numbers in a range.
func ticks(low, high float64, whole bool) (out []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*by) <= 6 {
			step *= by
			break
		}
	}
	if whole {
		step = max(1, math.Round(step))
	}
	for v := math.Ceil(low/step) * step; v <= high+step*1e-9; v += step {
		out = append(out, math.Round(v/step)*step)
	}
	return out
}

// figure writes a number with four digits.
func figure(v float64) string {
	if math.IsNaN(v) {
		return "not a number"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
