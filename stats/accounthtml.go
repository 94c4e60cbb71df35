package stats

import (
	"fmt"
	"html"
	"strings"
)

// String lists the largest parts in a sentence: "44.2 s: waiting for workers 57 %, not timed 28 %, …".
func (a Account) String() string {
	var parts []string
	for _, p := range a.largest() {
		part := fmt.Sprintf("%s %s", p.Name, percent(p.Share))
		if p.Name == betweenFits {
			part += " (evaluation, saving)"
		}
		parts = append(parts, part)
	}
	s := span(a.Whole) + ": " + strings.Join(parts, ", ")
	if a.Workers > 1 && a.AtOnce > 0 {
		s += fmt.Sprintf("; while workers fitted, %.1f of %d did at once on average: %s longest, %s in all, %s shortest, %s",
			a.AtOnce, a.Workers,
			a.Longest.Worker, span(a.Longest.Time), a.Shortest.Worker, span(a.Shortest.Time))
	}
	return s
}

// largest returns the parts of at least 0.5 %, the largest first.
func (a Account) largest() []Part {
	var out []Part
	for _, p := range a.Parts {
		if p.Share < 0.005 {
			continue
		}
		at := len(out)
		for at > 0 && out[at-1].Share < p.Share {
			at--
		}
		out = append(out[:at], append([]Part{p}, out[at:]...)...)
	}
	return out
}

func percent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// accountColours are the phases whose colours the activities use.
var accountColours = map[string]Phase{"workers fit": WorkerFit, "workers get examples": WorkerDataSet,
	"workers get the model": WorkerInitialModel,
	"workers exchange":      WorkerTotal, "export": MasterExport, "repartition": MasterRepartition,
	"broadcast": MasterBroadcast, "probe": MasterProbe,
	"stop": MasterStop, "new parameters": MasterProcessParams, "waiting for workers": MasterAggregate,
	"not timed": MasterFit}

// write writes the account of the time: a bar, and a table of its parts.
func (a Account) write(b *strings.Builder) {
	b.WriteString("<h2>Where the time went</h2>\n")
	parts := a.largest()
	if len(parts) == 0 {
		return
	}
	fmt.Fprintf(b, "<p>%s.</p>\n<div class=\"parts\" role=\"img\" aria-label=\"Parts of the time; the table below has "+
		"the figures\">", html.EscapeString(a.String()))
	const faint = "var(--grid)"
	colour := func(p Part) string {
		if of, ok := accountColours[p.Name]; ok {
			return fmt.Sprintf("var(--p%d)", of.place())
		}
		return faint
	}
	for _, p := range parts {
		label := ""
		if p.Share > 0.12 {
			label = html.EscapeString(p.Name)
		}
		ink := ""
		if colour(p) == faint {
			ink = ";color:var(--ink)"
		}
		fmt.Fprintf(b, "<i style=\"width:%.2f%%;background:%s%s\" title=\"%s: %s, %s\">%s</i>", 100*p.Share, colour(p), ink,
			html.EscapeString(p.Name), span(p.Time), percent(p.Share), label)
	}
	b.WriteString("</div>\n<div class=\"wide\">\n<table class=\"account\">\n<thead><tr><th scope=\"col\">by the " +
		"clock</th><th scope=\"col\">time</th><th scope=\"col\">of all</th><th scope=\"col\">that " +
		"is</th></tr></thead>\n<tbody>\n")
	for _, p := range parts {
		fmt.Fprintf(b, "<tr><th scope=\"row\"><span class=\"dot\" "+
			"style=\"background:%s\"></span>%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			colour(p), html.EscapeString(p.Name), span(p.Time), percent(p.Share), html.EscapeString(p.Meaning))
	}
	b.WriteString("</tbody>\n</table>\n</div>\n<p class=\"hint\">Each moment counts once, for what was nearest to " +
		"training then: if one worker fits, it is the workers&#8217; fit, " +
		"whatever others do. Parts below 0.5 % are left out.</p>\n")
}
