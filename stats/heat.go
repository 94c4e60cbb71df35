package stats

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The dimensions of a heat map: a histogram per column, with darker cells for more values.
const (
	heatRows   = 36
	heatShades = 6
)

// quantiles are the lines over a heat map.
var quantiles = []struct {
	label  string
	share  float64
	colour int
}{{"95 %", 0.95, 12}, {"median", 0.5, 17}, {"5 %", 0.05, 12}}

// spreadKinds are the groups of histograms, by the prefixes of their names.
var spreadKinds = []struct{ prefix, title string }{
	{"parameters/", "Parameters"}, {"gradients/", "Gradients"}, {"updates/", "Updates"}, {"activations/", "Activations"}}

// writeSpreads draws the histograms over time, each kind in a section that can be opened.
func (r *Run) writeSpreads(b *strings.Builder) {
	if len(r.Histograms) == 0 {
		return
	}
	b.WriteString("<h3>Values over time</h3>\n<p class=\"hint\">Each column is a histogram of a step, the darker where " +
		"more values are. The lines are the median and the range without the 5 % at either end. Arrow keys read them.</p>\n")
	for i, kind := range spreadKinds {
		all, more := r.heats(kind.prefix)
		if len(all) == 0 {
			continue
		}
		open := ""
		if i == 0 {
			open = " open=\"open\""
		}
		fmt.Fprintf(b, "<details class=\"spreads\"%s><summary>%s</summary>\n<div class=\"pair\">\n", open, kind.title)
		for j := range all {
			all[j].title = kind.title + " of " + all[j].title
			all[j].write(b)
		}
		b.WriteString("</div>\n")
		if more > 0 {
			fmt.Fprintf(b, "<p class=\"hint\">%s more are in the .json form of these statistics.</p>\n", thousands(more))
		}
		b.WriteString("</details>\n")
	}
}

// heats returns the charts of the first histograms of a kind, and the number of the others.
func (r *Run) heats(prefix string) (all []chart, more int) {
	for from := 0; from < len(r.Histograms); {
		to := from + 1
		for to < len(r.Histograms) && r.Histograms[to].Name == r.Histograms[from].Name {
			to++
		}
		if name, ok := strings.CutPrefix(r.Histograms[from].Name, prefix); ok && len(all) < mostLines {
			all = append(all, heatOf(name, r.Histograms[from:to]))
		} else if ok {
			more++
		}
		from = to
	}
	return all, more
}

// heatOf returns a chart of histograms with the same name.
func heatOf(title string, all []Histogram) chart {
	c := chart{title: title, heat: all}
	for _, q := range quantiles {
		l := line{label: q.label, colour: q.colour}
		for i := range all {
			l.append(point{all[i].Iteration, 0, all[i].quantile(q.share)})
		}
		c.lines = append(c.lines, l)
	}
	return c
}

// heatRange returns the range that most histograms need. Single values beyond it are drawn at its borders.
func (c *chart) heatRange() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range c.heat {
		low, high = min(low, c.heat[i].quantile(0.005)), max(high, c.heat[i].quantile(0.995))
	}
	return low, high
}

// writeHeat draws the cells of each shade as one path.
func (c *chart) writeHeat(b *strings.Builder, box box) {
	if len(c.heat) == 0 {
		return
	}
	var shades [heatShades + 1]strings.Builder
	bins := make([]float64, heatRows)
	height := float64(chartBottom-chartTop) / heatRows
	for i := range c.heat {
		h := &c.heat[i]
		left, right := c.column(box, i)
		clear(bins)
		h.spread(box.low, box.high, bins)
		most := 0.0
		for _, n := range bins {
			most = max(most, n)
		}
		for row, n := range bins {
			shade := int(math.Ceil(heatShades * math.Sqrt(n/max(1, most))))
			if n >= 0.5 && shade > 0 {
				fmt.Fprintf(&shades[min(heatShades, shade)], "M%.1f %.1fh%.1fv%.2fh%.1fz", left,
					chartBottom-height*float64(row), right-left, -height, left-right)
			}
		}
	}
	fmt.Fprintf(b, "<g class=\"heat\" fill=\"var(--p13)\"><title>%s: histograms by iteration</title>\n",
		html.EscapeString(c.title))
	for shade := range shades {
		if shades[shade].Len() > 0 {
			fmt.Fprintf(b, "<path fill-opacity=\"%.2f\" d=\"%s\"/>\n", 0.08+0.82*float64(shade)/heatShades,
				shades[shade].String())
		}
	}
	b.WriteString("</g>\n")
}

// column returns the horizontal extent of a histogram: halfway to its neighbours.
func (c *chart) column(box box, i int) (left, right float64) {
	at := func(i int) float64 { return float64(c.heat[i].Iteration) }
	left, right = chartLeft, chartRight
	if i > 0 {
		left = box.x((at(i-1) + at(i)) / 2)
	}
	if i+1 < len(c.heat) {
		right = box.x((at(i) + at(i+1)) / 2)
	}
	return left, right
}
