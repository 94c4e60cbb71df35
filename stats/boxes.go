package stats

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// The dimensions of the drawing of boxes, in pixels.
const (
	boxLeft, boxRight, boxWidth = 170, 1000, 1020
	boxRow                      = 22
)

// writeBoxes draws the durations of each phase on one logarithmic axis: a line from the minimum to the maximum, a pale
// bar from the 5th to the 95th percentile, a bar from the 25th to the 75th, and a mark at the median.
func writeBoxes(b *strings.Builder, summaries []Summary) {
	low, high := math.Inf(1), 0.0
	for _, s := range summaries {
		low, high = min(low, logOf(s.Min)), max(high, logOf(s.Max))
	}
	low, high = math.Floor(low), math.Ceil(high)
	if high <= low {
		high = low + 1
	}
	x := func(d time.Duration) float64 { return boxLeft + (logOf(d)-low)/(high-low)*(boxRight-boxLeft) }
	bottom := 8 + boxRow*len(summaries)
	fmt.Fprintf(b, "<h2>Durations by phase</h2>\n<figure class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" "+
		"viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "+
		"aria-label=\"Durations of each phase on a logarithmic axis; the table above has the figures\">\n", boxWidth,
		bottom+22, boxWidth, bottom+22)
	for k := low; k <= high; k++ {
		d := time.Duration(math.Round(math.Pow(10, k)))
		fmt.Fprintf(b, "<path d=\"M%.1f 4V%d\" stroke=\"var(--grid)\"/><text class=\"faint\" x=\"%.1f\" y=\"%d\" "+
			"text-anchor=\"middle\">%s</text>\n", x(d), bottom, x(d), bottom+15, tick(d))
	}
	for i, s := range summaries {
		y, q := 8+boxRow*i+boxRow/2, s.Quantiles
		colour := fmt.Sprintf("var(--p%d)", s.Phase.place())
		fmt.Fprintf(b, "<g><title>%s: least %s, 5 %% %s, 25 %% %s, median %s, 75 %% %s, 95 %% %s, most %s</title><text "+
			"x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
			s.Phase, span(s.Min), span(q[0]), span(q[1]), span(q[2]), span(q[3]), span(q[4]), span(s.Max), boxLeft-10, y+4,
			html.EscapeString(s.Phase.Short()))
		fmt.Fprintf(b, "<path d=\"M%.1f %dH%.1f\" stroke=\"%s\"/>", x(s.Min), y, x(s.Max)+1, colour)
		for _, bar := range []struct {
			from, to time.Duration
			opacity  float64
		}{{q[0], q[4], 0.3}, {q[1], q[3], 0.75}} {
			fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"%s\" fill-opacity=\"%.2f\"/>",
				x(bar.from), y-6, max(1, x(bar.to)-x(bar.from)), colour, bar.opacity)
		}
		fmt.Fprintf(b, "<path d=\"M%.1f %dv16\" stroke=\"var(--ink)\" stroke-width=\"2\"/></g>\n", x(q[2]), y-8)
	}
	b.WriteString("</svg></figure>\n<p class=\"hint\">Line: least to most. Pale bar: 5 to 95 of 100 events. Bar: 25 to " +
		"75. Mark: the median. The axis is logarithmic.</p>\n")
}

// logOf returns the decimal logarithm of a duration in nanoseconds, at least that of a microsecond.
func logOf(d time.Duration) float64 { return math.Log10(float64(max(d, time.Microsecond))) }

// tick names a power of ten of nanoseconds.
func tick(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%d s", d/time.Second)
	case d >= time.Millisecond:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	}
	return fmt.Sprintf("%d µs", d/time.Microsecond)
}
