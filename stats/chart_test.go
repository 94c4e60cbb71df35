package stats

import (
	"encoding/xml"
	"html"
	"io"
	"math"
	"strings"
	"testing"
)

// wellFormed checks that the tags of a page's body are well-formed.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader("<body>" + text + "</body>")); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

// expectHead checks that a page begins with its policy, title, style and heading.
func expectHead(t *testing.T, page, title string) {
	t.Helper()
	title = html.EscapeString(title)
	for _, part := range []string{"script-src 'unsafe-inline'\"/>\n<title>" + title + "</title>\n<style>\n:root {",
		"</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q in %.2000s", part, page)
		}
	}
}

// TestChartsAreDrawn: charts are drawn for one value, equal ones, gaps, none that is finite, many.
func TestChartsAreDrawn(t *testing.T) {
	nan := math.NaN()
	many := make([]float64, MostPoints)
	for i := range many {
		many[i] = math.Sin(float64(i) / 100)
	}
	for name, values := range map[string][]float64{"one": {3}, "equal": {2, 2, 2}, "gaps": {1, nan, 3, nan}, "many": many,
		"large": {1e300, -1e300}, "tiny": {1e-300, 2e-300}, "none": {nan, nan}, "empty": nil} {
		for _, log := range []bool{false, true} {
			c := chart{title: "<b>&", log: log, band: healthyRatio,
				lines: []line{{label: "</g>", Series: seriesOf("a", values...)}}}
			var b strings.Builder
			c.write(&b)
			wellFormed(t, b.String())
			if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
				t.Errorf("%s: %s", name, b.String())
			}
			if drawn := strings.Contains(b.String(), "<svg"); drawn == (name == "none" || name == "empty") {
				t.Errorf("%s: drawn is %v", name, drawn)
			}
			if dot := strings.Contains(b.String(), `stroke-width="7"`); dot != (name == "one" || name == "large" && log) {
				t.Errorf("%s: a dot is %v", name, dot)
			}
			if log && name == "one" && !strings.Contains(b.String(), ">0.0001<") {
				t.Errorf("the healthy band is not in %s", b.String())
			}
			if b.Len() > 60_000 {
				t.Errorf("%s: the chart has %d bytes", name, b.Len())
			}
		}
	}
}

// TestComparison: runs are overlaid, only settings that differ are listed, and names are escaped.
func TestComparison(t *testing.T) {
	runs := []Run{
		{Title: "one<script>", Settings: map[string]string{"batch": "64", "seed": "1"},
			Series: []Series{seriesOf("loss", 2, 1), seriesOf("heldOutLoss", 2, 1.5), seriesOf("ratio/0_W", 1, 1)}},
		{Title: "two", Settings: map[string]string{"batch": "32", "seed": "1"},
			Series: []Series{seriesOf("loss", 3, 1), seriesOf("accuracy", 0.5, 0.75)}},
	}
	var b strings.Builder
	if err := WriteComparison(&b, "</title>", runs); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	expectHead(t, text, "</title>")
	for _, want := range []string{"<td>64</td><td>32</td>", "<td>0.75</td>", "one&lt;script&gt;", "loss over iterations"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, bad := range []string{">seed<", "one<script>", "ratio/0_W", "<title></title>"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}
