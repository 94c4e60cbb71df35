package eval

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The position of the plot in a drawing, in pixels.
const (
	drawingWidth, drawingHeight           = 480, 380
	plotLeft, plotTop, plotRight, plotEnd = 60, 12, 468, 332
)

// chart is a drawing of lines from 0 to 1 in both directions.
type chart struct {
	title, x, y string
	note        string // how to read it
	diagonal    bool
	lines       []line
}

type line struct {
	name   string
	x, y   []float64
	points bool // mark them
}

var colours = [...]string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2",
	"#7f7f7f", "#bcbd22"}

func (c *chart) write(b *strings.Builder) {
	caption(b, c.title, c.note)
	axes(b, c.x, c.y, 1)
	if c.diagonal {
		fmt.Fprintf(b, "<path class=\"guess\" d=\"M%d %dL%d %d\" stroke-dasharray=\"4 4\"/>\n", plotLeft, plotEnd,
			plotRight, plotTop)
	}
	for i, l := range c.lines {
		colour := colours[i%len(colours)]
		fmt.Fprintf(b, "<path d=\"%s\" stroke=\"%s\" stroke-width=\"1.6\"><title>%s</title></path>\n", l.path(), colour,
			html.EscapeString(l.name))
		for j := range l.x {
			if l.points && drawn(l.x[j]) && drawn(l.y[j]) {
				x, y := place(l.x[j], l.y[j])
				fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour)
			}
		}
	}
	b.WriteString("</svg>\n<ul class=\"legend\">\n")
	for i, l := range c.lines {
		fmt.Fprintf(b, "<li><i style=\"background:%s\"></i>%s</li>\n", colours[i%len(colours)], html.EscapeString(l.name))
	}
	b.WriteString("</ul>\n</figure>\n")
}

// caption begins a figure.
func caption(b *strings.Builder, title, note string) {
	fmt.Fprintf(b, "<figure>\n<figcaption>%s <small>%s</small></figcaption>\n", html.EscapeString(title),
		html.EscapeString(note))
}

// axes opens a drawing with its axes; the vertical one ends at top.
func axes(b *strings.Builder, x, y string, top float64) {
	axesOf(b, x, y, [2]float64{0, 1}, [2]float64{0, top})
}

// axesOf opens a drawing of values in two ranges.
func axesOf(b *strings.Builder, x, y string, across, up [2]float64) {
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "+
		"role=\"img\">\n", drawingWidth, drawingHeight, drawingWidth, drawingHeight)
	for i := range 6 {
		part := float64(i) / 5
		px, py := place(part, part)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f %dV%dM%d %.1fH%d\"/>\n", px, plotTop, plotEnd, plotLeft, py, plotRight)
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", px, plotEnd+17,
			short(round(across, part)))
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", plotLeft-6, py+4, short(round(up, part)))
	}
	fmt.Fprintf(b, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", plotLeft, plotTop, plotEnd, plotRight)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (plotLeft+plotRight)/2, plotEnd+38,
		html.EscapeString(x))
	fmt.Fprintf(b, "<text transform=\"translate(13 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
		(plotTop+plotEnd)/2, html.EscapeString(y))
}

// round formats a value of a range with as many digits as the size of the range needs.
func round(in [2]float64, part float64) float64 {
	v, size := in[0]+part*(in[1]-in[0]), in[1]-in[0]
	unit := math.Pow(10, math.Floor(math.Log10(size))-2)
	return math.Round(v/unit) * unit
}

// place returns the pixels of a point from 0 to 1 in both directions.
func place(x, y float64) (px, py float64) {
	return plotLeft + x*(plotRight-plotLeft), plotEnd - y*(plotEnd-plotTop)
}

func drawn(x float64) bool { return x >= 0 && x <= 1 }

// path returns the path of the line. It leaves out points that can't be distinguished from the last one, so that a
// drawing of a million examples is as small as one of a thousand, and points outside 0 to 1.
func (l *line) path() string {
	var b strings.Builder
	var lastX, lastY float64
	pen := "M"
	for i := range l.x {
		if !drawn(l.x[i]) || !drawn(l.y[i]) {
			continue
		}
		x, y := place(l.x[i], l.y[i])
		if pen == "L" && i < len(l.x)-1 && math.Abs(x-lastX) < .5 && math.Abs(y-lastY) < .5 {
			continue
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", pen, x, y)
		pen, lastX, lastY = "L", x, y
	}
	return b.String()
}

// ceiling returns the least of 5, 10, 20, 50, 100, … that is at least x.
func ceiling(x float64) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, top := range [...]float64{5, 10, 20} {
			if x <= top*unit {
				return top * unit
			}
		}
	}
}

// short prints 20000 as 20k.
func short(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.4gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.4gk", x/1e3)
	}
	return fmt.Sprintf("%.4g", x)
}

func writeHistogram(b *strings.Builder, h *Histogram, x, note string) {
	caption(b, h.Name, note)
	top := ceiling(float64(slices.Max(h.Counts)))
	axes(b, x, "count", top)
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		lower, upper := h.Bounds(i)
		left, y := place(lower, float64(n)/top)
		right, _ := place(upper, 0)
		fmt.Fprintf(b,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%.3g to %.3g: %d</title></rect>\n",
			left, y, max(right-left-.5, .5), plotEnd-y, colours[0], lower, upper, n)
	}
	b.WriteString("</svg>\n</figure>\n")
}
