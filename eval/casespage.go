package eval

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of the drawing of Cases.
const (
	mostColumns  = 8   // of numbers that are predicted
	mostFeatures = 20  // columns of the table
	mostPixels   = 128 // of a picture's longer side
	mostValues   = 5   // of a label of several numbers
)

// write writes the section.
func (c *Cases) write(b *strings.Builder) {
	if len(c.hardest) == 0 {
		return
	}
	if c.Numbers {
		c.writePoints(b)
	}
	of := ""
	if c.Full() {
		of = fmt.Sprintf(" of the first %d", c.seen)
	}
	what := "loss, the negative logarithm of the probability of the actual class"
	if c.Numbers {
		what = "distance of the prediction from the true value"
	}
	fmt.Fprintf(b, "<h2>Hardest examples</h2>\n<p>The %d examples%s with the largest %s.</p>\n", len(c.hardest), of, what)
	if c.Height > 0 && c.hardest[0].Features != nil {
		b.WriteString("<div class=\"cards\">\n")
		for i := range c.hardest {
			c.writeCard(b, &c.hardest[i])
		}
		b.WriteString("</div>\n")
		return
	}
	c.writeTable(b)
}

// writePoints draws predictions beside true values, and residuals, for each column.
func (c *Cases) writePoints(b *strings.Builder) {
	if len(c.points) == 0 {
		return
	}
	columns := len(c.points[0].Labels)
	fmt.Fprintf(b, "<h2>Predicted and true values</h2>\n<p>%d examples, evenly spaced. A residual is the prediction "+
		"less the true value.</p>\n", len(c.points))
	for k := range min(columns, mostColumns) {
		var truth, predicted, residual []float64
		for _, x := range c.points {
			y, p := float64(x.Labels[k]), float64(x.Outputs[k])
			if r := p - y; !math.IsNaN(r) && !math.IsInf(r, 0) {
				truth, predicted, residual = append(truth, y), append(predicted, p), append(residual, r)
			}
		}
		if truth == nil {
			continue
		}
		name := outputName(c.Names, k)
		charts(b, func() {
			both := rangeOf(append(slices.Clone(truth), predicted...))
			scatter{title: "Predicted and true " + name, note: "the nearer to the dashed line the better",
				x: "true", y: "predicted", across: both, up: both, line: "diagonal"}.write(b, truth, predicted)
			scatter{title: "Residuals of " + name, note: "a pattern is something the network has not learned",
				x: "predicted", y: "residual", across: rangeOf(predicted), up: rangeOf(append(residual, 0)),
				line: "zero"}.write(b, predicted, residual)
			writeResiduals(b, name, residual)
		})
	}
	if columns > mostColumns {
		fmt.Fprintf(b, "<p>The first %d of %d columns are drawn.</p>\n", mostColumns, columns)
	}
}

// rangeOf returns a range of about five round steps that contains all values.
func rangeOf(v []float64) [2]float64 {
	low, high := slices.Min(v), slices.Max(v)
	if !(high-low > 1e-6*max(math.Abs(low), math.Abs(high))) { // also if all are 0
		room := max(1e-6, 0.03*math.Abs(high))
		low, high = low-room, high+room
	}
	for unit := math.Pow(10, math.Floor(math.Log10((high-low)/5))); ; unit *= 10 {
		for _, by := range [...]float64{1, 2, 2.5, 5} {
			step := by * unit
			if from := math.Floor(low/step) * step; from+5*step >= high {
				return [2]float64{from, from + 5*step}
			}
		}
	}
}

// scatter is a drawing of points.
type scatter struct {
	title, note, x, y string
	across, up        [2]float64
	line              string // diagonal or zero
}

func (s scatter) write(b *strings.Builder, xs, ys []float64) {
	caption(b, s.title, s.note)
	axesOf(b, s.x, s.y, s.across, s.up)
	if s.line == "diagonal" {
		fmt.Fprintf(b, "<path class=\"guess\" d=\"M%d %dL%d %d\" stroke-dasharray=\"4 4\"/>\n", plotLeft, plotEnd,
			plotRight, plotTop)
	} else if _, y := place(0, share(0, s.up)); y > plotTop && y < plotEnd {
		fmt.Fprintf(b, "<path class=\"guess\" d=\"M%d %.1fH%d\" stroke-dasharray=\"4 4\"/>\n", plotLeft, y, plotRight)
	}
	fmt.Fprintf(b, "<g fill=\"%s\" fill-opacity=\"0.5\">\n", colours[0])
	for i := range xs {
		x, y := place(share(xs[i], s.across), share(ys[i], s.up))
		fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s %s, %s %s</title></circle>\n", x, y, s.x,
			rounded(xs[i]), s.y, rounded(ys[i]))
	}
	b.WriteString("</g></svg>\n</figure>\n")
}

// share returns where a value is in a range, from 0 to 1.
func share(v float64, in [2]float64) float64 { return (v - in[0]) / (in[1] - in[0]) }

// writeResiduals draws the histogram of residuals.
func writeResiduals(b *strings.Builder, name string, residual []float64) {
	const bins = 30
	in := rangeOf(append(slices.Clone(residual), 0))
	var counts [bins]int
	for _, r := range residual {
		counts[min(bins-1, int(share(r, in)*bins))]++
	}
	top := rangeOf([]float64{0, float64(slices.Max(counts[:]))})[1]
	caption(b, "Sizes of residuals of "+name, "around 0 and narrow is good")
	axesOf(b, "residual", "count", in, [2]float64{0, top})
	for i, n := range counts {
		if n == 0 {
			continue
		}
		left, y := place(float64(i)/bins, float64(n)/top)
		right, _ := place(float64(i+1)/bins, 0)
		lower := in[0] + float64(i)/bins*(in[1]-in[0])
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s to %s: %d</title>"+
			"</rect>\n", left, y, right-left-.5, plotEnd-y, colours[0], rounded(lower), rounded(lower+(in[1]-in[0])/bins), n)
	}
	b.WriteString("</svg>\n</figure>\n")
}

func rounded(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// example names a case by its key, or by its number in the data.
func (x *Case) example() string {
	if x.Key != "" {
		return x.Key
	}
	return strconv.Itoa(x.Index + 1)
}

// said returns the actual and the predicted value in words.
func (c *Cases) said(x *Case) (actual, predicted string) {
	if c.Numbers {
		return figures(x.Labels), figures(x.Outputs)
	}
	if sum := positives(x.Labels); len(x.Labels) > 1 && sum != 1 {
		return c.those(x.Labels), c.those(x.Outputs)
	}
	k := class(x.Outputs)
	p := x.Outputs[min(k, len(x.Outputs)-1)]
	if len(x.Outputs) == 1 && k == 0 {
		p = 1 - p
	}
	return outputName(c.Names, class(x.Labels)), fmt.Sprintf("%s (%.0f %%)", outputName(c.Names, k), 100*p)
}

func positives(v []float32) (n int) {
	for _, x := range v {
		if x > 0.5 {
			n++
		}
	}
	return n
}

// those lists the labels that are 1, if several can be.
func (c *Cases) those(v []float32) string {
	var all []string
	for i, x := range v {
		if x > 0.5 {
			all = append(all, outputName(c.Names, i))
		}
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

func figures(v []float32) string {
	var all []string
	for _, x := range v[:min(len(v), mostValues)] {
		all = append(all, rounded(float64(x)))
	}
	if len(v) > mostValues {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

func (c *Cases) writeTable(b *strings.Builder) {
	columns := 0
	for _, x := range c.hardest {
		if c.Height == 0 {
			columns = max(columns, min(len(x.Features), mostFeatures))
		}
	}
	b.WriteString("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Hardest examples\">" +
		"<table class=\"cases\">\n" +
		"<thead><tr><th scope=\"col\">example</th><th scope=\"col\">actual</th><th scope=\"col\">predicted</th>" +
		"<th scope=\"col\">" + c.lossName() + "</th>")
	for k := range columns {
		name := "feature " + strconv.Itoa(k)
		if k < len(c.Columns) {
			name = c.Columns[k]
		}
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i := range c.hardest {
		x := &c.hardest[i]
		actual, predicted := c.said(x)
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td>", html.EscapeString(x.example()),
			html.EscapeString(actual), html.EscapeString(predicted), rounded(x.Loss))
		for k := range columns {
			text := ""
			if k < len(x.Features) {
				text = rounded(float64(x.Features[k]))
			}
			fmt.Fprintf(b, "<td>%s</td>", text)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
	if n := len(c.hardest[0].Features); c.Height == 0 && n > mostFeatures {
		fmt.Fprintf(b, "<p>The first %d of %d features are shown.</p>\n", mostFeatures, n)
	}
}

// writeCard writes an example that is a picture.
func (c *Cases) writeCard(b *strings.Builder, x *Case) {
	actual, predicted := c.said(x)
	what := html.EscapeString(fmt.Sprintf("example %s: actually %s, predicted %s", x.example(), actual, predicted))
	b.WriteString("<figure class=\"card\">")
	if picture := c.picture(x.Features); picture != nil {
		fmt.Fprintf(b, "<img src=\"data:image/png;base64,%s\" alt=\"%s\" title=\"%s\"/>",
			base64.StdEncoding.EncodeToString(picture), what, what)
	}
	fmt.Fprintf(b, "<figcaption><b>%s</b><small>predicted %s</small><small>example %s, %s %s</small></figcaption>"+
		"</figure>\n",
		html.EscapeString(actual), html.EscapeString(predicted), html.EscapeString(x.example()),
		c.lossName(), rounded(x.Loss))
}

func (c *Cases) lossName() string {
	if c.Numbers {
		return "distance"
	}
	return "loss"
}

// picture returns a PNG of features [channels, height, width] with 1, 3 or 4 channels; nil for other features. Larger
// pictures are thinned out.
func (c *Cases) picture(features []float32) []byte {
	h, w := c.Height, c.Width
	if h < 1 || w < 1 || len(features) != h*w*c.Channels || c.Channels != 1 && c.Channels != 3 && c.Channels != 4 {
		return nil
	}
	low, high := slices.Min(features), slices.Max(features)
	scale := 255 / max(high-min(low, 0), 1e-12)
	if low >= 0 && high <= 1 {
		scale = 255
	} else if low >= 0 && high <= 255 {
		scale = 1
	}
	low = min(low, 0)
	step := (max(h, w) + mostPixels - 1) / mostPixels
	out := image.NewNRGBA(image.Rect(0, 0, (w+step-1)/step, (h+step-1)/step))
	at := func(channel, y, x int) uint8 {
		v := (features[(min(channel, c.Channels-1)*h+y)*w+x] - low) * scale
		return uint8(min(max(v, 0), 255)) // of NaN 0
	}
	for y := 0; y < h; y += step {
		for x := 0; x < w; x += step {
			out.SetNRGBA(x/step, y/step, color.NRGBA{at(0, y, x), at(1, y, x), at(2, y, x), 255})
		}
	}
	var b bytes.Buffer
	if png.Encode(&b, out) != nil {
		return nil
	}
	return b.Bytes()
}
