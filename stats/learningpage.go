package stats

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// healthyRatio is the usual range of update-to-parameter ratios. Deeplearning4j's guide calls about 1e-3 healthy.
var healthyRatio = [2]float64{1e-4, 1e-2}

// apart are the figures with their own charts, which are not among the metrics of held-out data.
var apart = []string{"loss", "epochLoss", "heldOutLoss", "learningRate", "examplesPerSecond", "threshold", "sparsity",
	"bytesSent"}

// mostLines is the maximum number of lines of a chart.
const mostLines = 12

// writeLearning writes the part of the page that shows how the run learned.
func (r *Run) writeLearning(b *strings.Builder) {
	hints := r.Hints()
	if len(r.Series) == 0 && len(hints) == 0 {
		return
	}
	b.WriteString("<h2>Learning</h2>\n")
	for _, h := range hints {
		fmt.Fprintf(b, "<p class=\"warning\"><b>%s</b> %s</p>\n", html.EscapeString(h.Title), html.EscapeString(h.Text))
	}
	b.WriteString("<div class=\"pair\">\n")
	for _, c := range r.charts() {
		c.write(b)
	}
	b.WriteString("</div>\n")
	r.writeSpreads(b)
}

// charts returns the charts of one run.
func (r *Run) charts() []chart {
	loss := chart{title: "Loss"}
	for _, l := range []line{{label: "each step", colour: 13, pale: true}, {label: "epoch's mean", colour: 13},
		{label: "held out", colour: 17}} {
		name := map[string]string{"each step": "loss", "epoch's mean": "epochLoss", "held out": "heldOutLoss"}[l.label]
		if l.Series = r.named(name); len(l.Values) > 0 {
			loss.lines = append(loss.lines, l)
		}
	}
	metrics := chart{title: "Held-out data"}
	for _, s := range r.Series {
		if !strings.Contains(s.Name, "/") && !slices.Contains(apart, s.Name) {
			metrics.lines = append(metrics.lines, line{label: s.Name, colour: lineColour(len(metrics.lines) + 3), Series: s})
		}
	}
	rate := r.single("Learning rate", "learningRate")
	ratios := r.layers("Updates by parameter: mean magnitude of updates / of values", "ratio/")
	ratios.log, ratios.band = true, healthyRatio
	dead := r.layers("Dead units by layer: share that is 0 for a whole minibatch", "dead/")
	saturated := r.layers("Saturated units by layer: share at the ends of a sigmoid's or tanh's range", "saturated/")
	activations := r.layers("Activations by layer: mean magnitude", "activations/")
	gradients := r.layers("Gradients by parameter: mean magnitude", "gradients/")
	gradients.log = true
	return []chart{loss, metrics, rate, ratios, gradients, activations, dead, saturated,
		r.single("Threshold", "threshold"), r.single("Share of values sent in an update", "sparsity"),
		r.single("Examples per second of an epoch", "examplesPerSecond")}
}

func (r *Run) single(title, name string) chart {
	return chart{title: title, lines: []line{{label: title, colour: 13, Series: r.named(name)}}}
}

// layers returns a chart of the series whose names have the prefix, for the first parameters or layers.
func (r *Run) layers(title, prefix string) chart {
	c := chart{title: title}
	for _, s := range r.Series {
		if name, ok := strings.CutPrefix(s.Name, prefix); ok && len(c.lines) < mostLines {
			c.lines = append(c.lines, line{label: name, colour: lineColour(len(c.lines)), Series: s})
		}
	}
	return c
}

// named returns a series, or an empty one.
func (r *Run) named(name string) Series {
	for _, s := range r.Series {
		if s.Name == name {
			return s
		}
	}
	return Series{Name: name}
}
