package stats

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

//go:embed page/page.css
var style string

//go:embed page/model.js
var modelScript string

//go:embed page/page.js
var pageScript string

//go:embed page/chart.js
var chartScript string

// WriteHTML writes a page of events (Deeplearning4j: StatsUtils.exportStatsAsHtml). It shows where the time went, the
// count and durations of each phase, a timeline with a lane for the driver and each worker, examples per second, and
// the durations of one phase as a histogram and over time. The page needs no other file and no network. Without its
// script, it still has the table and the durations by phase. Times are kept to the microsecond.
func WriteHTML(w io.Writer, title string, events []Event) error {
	return Frame{}.WriteRun(w, &Run{Title: title, Events: events})
}

const timelineHead = `<h2>Timeline</h2>
<p class="still">The timeline and the charts by time are drawn by this page's script, which has not run.</p>
<div class="script">
<div id="controls"><button id="left" aria-label="earlier">◀</button><button id="right" aria-label="later">▶</button>
<button id="in" aria-label="zoom in">+</button><button id="out" aria-label="zoom out">−</button><button id="all">all</button>
<span id="range" aria-live="polite"></span></div>
<p class="hint">Drag to move, Ctrl and wheel or a double click to zoom, point at a bar to read it. With the keyboard: + and −, arrows, 0 for all.
Bars narrower than a pixel are drawn as one, in the colour of the phase that took most of it, the paler the less of it was busy.</p>
`

const timelineEnd = `<div id="scroller"><canvas id="timeline" tabindex="0" role="img" aria-label="Timeline of the driver and the workers; the summary table has its figures"></canvas><div id="spacer"></div></div>
<div id="tip" hidden="hidden"></div>
<div id="rates"><h2>Examples per second</h2>
<canvas id="rate" role="img" aria-label="Examples per second of all workers together over time"></canvas></div>
<h2>One phase</h2>
`

const phaseCharts = `<div class="pair">
<figure><figcaption>how many took how long</figcaption><canvas id="histogram" role="img"></canvas></figure>
<figure><figcaption>duration by start: least, mean and greatest</figcaption><canvas id="course" role="img"></canvas></figure>
</div>
</div>
`

// writeTable writes the summary: the charts' data in figures.
func writeTable(b *strings.Builder, summaries []Summary) {
	b.WriteString("<h2>Phases</h2>\n<div class=\"wide\">\n<table>\n<thead><tr><th scope=\"col\">phase</th>")
	for _, h := range []string{"count", "mean", "least", "median", "most", "total", "examples",
		"of driver&#8217;s fit,<br/>of workers&#8217; total"} {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", h)
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, s := range summaries {
		i := s.Phase.place()
		fmt.Fprintf(b, "<tr><th scope=\"row\"><span class=\"dot\" style=\"background:var(--p%d)\"></span>%s</th><td>%s</td>",
			i, s.Phase, thousands(s.Count))
		for _, d := range []time.Duration{s.Mean, s.Min, s.Quantiles[2], s.Max, s.Total} {
			fmt.Fprintf(b, "<td>%s</td>", span(d))
		}
		share, examples := "", ""
		if s.Share > 0 {
			share = fmt.Sprintf("%.1f %%<span class=\"bar\"><i style=\"width:%.1f%%;background:var(--p%d)\"></i></span>",
				100*s.Share, min(100, 100*s.Share), i)
		}
		if s.Examples > 0 {
			examples = thousands(s.Examples)
		}
		fmt.Fprintf(b, "<td>%s</td><td>%s</td></tr>\n", examples, share)
	}
	b.WriteString("</tbody>\n</table>\n</div>\n<p class=\"hint\">Phases contain others: the workers&#8217; total is " +
		"made of getting the model, getting examples and " +
		"minibatches, a minibatch mostly of its fit; so shares don&#8217;t add up to 100 %.</p>\n")
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// span formats a duration with three digits in a suitable unit.
func span(d time.Duration) string {
	x, unit := float64(d)/1e3, "µs"
	switch {
	case d == 0:
		return "0"
	case d >= time.Hour:
		x, unit = d.Hours(), "h"
	case d >= 2*time.Minute:
		x, unit = d.Minutes(), "min"
	case d >= time.Second:
		x, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		x, unit = float64(d)/1e6, "ms"
	}
	digits := 2
	if x >= 100 {
		digits = 0
	} else if x >= 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, x, unit)
}
