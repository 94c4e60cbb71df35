package stats

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"
)

// Frame is what a server adds to the page of a run or of a comparison, to steer the run and to keep the page current.
// The zero Frame makes a page for a file.
type Frame struct {
	// Policy adds to the page's Content-Security-Policy, which allows its own style and script only.
	Policy string
	// Top and Bottom are HTML below the heading and at the end.
	Top, Bottom string
	// MostEvents limits the events on the timeline to the latest ones; 0 means no limit.
	MostEvents int
}

// begin writes the page up to its heading. More is added to the style.
func (f Frame) begin(b *strings.Builder, title string, more ...string) {
	title = html.EscapeString(title)
	fmt.Fprintf(b, pageHead, html.EscapeString(f.Policy), title, style+strings.Join(more, ""), title)
	b.WriteString(f.Top)
}

func (f Frame) end(b *strings.Builder) {
	b.WriteString(f.Bottom)
	b.WriteString("</body>\n</html>\n")
}

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
	`style-src 'unsafe-inline'; script-src 'unsafe-inline'%s"/>
<title>%s</title>
<style>
%s</style>
</head>
<body>
<h1>%s</h1>
`

// Section is a part of a run's page that changes while the run trains: the content of the element with this ID.
type Section struct{ ID, HTML string }

// Sections returns the current sections of the run.
func (r *Run) Sections() []Section {
	summaries := Summarize(r.Events)
	write := func(id string, content func(b *strings.Builder)) Section {
		var b strings.Builder
		content(&b)
		return Section{id, b.String()}
	}
	return []Section{
		write("about", func(b *strings.Builder) { fmt.Fprintf(b, "<p>%s</p>\n", r.about()) }),
		write("learning", r.writeLearning),
		write("workers", r.writeWorkers),
		write("phases", func(b *strings.Builder) {
			if len(r.Events) > 0 {
				AccountFor(r.Events).write(b)
				writeTable(b, summaries)
				writeBoxes(b, summaries)
			}
		}),
	}
}

// WriteRun writes the page of a run: how it learned, then where its time went.
func (f Frame) WriteRun(w io.Writer, r *Run) error {
	var b strings.Builder
	f.begin(&b, r.Title)
	sections := r.Sections()
	for i, s := range sections {
		if i == len(sections)-1 {
			writeSettings(&b, r.Settings)
		}
		fmt.Fprintf(&b, "<div id=\"%s\">%s</div>\n", s.ID, s.HTML)
	}
	if err := f.writeTimeline(&b, r.Events); err != nil {
		return err
	}
	fmt.Fprintf(&b, "<script>\n%s</script>\n", chartScript)
	f.end(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTimeline writes the timeline and the charts by time, with their data and script.
func (f Frame) writeTimeline(b *strings.Builder, events []Event) error {
	all := len(events)
	if f.MostEvents > 0 && all > f.MostEvents {
		events = latest(events, f.MostEvents)
	}
	p := newPage(events, Summarize(events))
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if all > 0 {
		b.WriteString(timelineHead)
		if len(events) < all {
			fmt.Fprintf(b, "<p class=\"hint\">The latest %s of %s events are drawn. The tables above have all of them.</p>\n",
				thousands(len(events)), thousands(all))
		}
		p.writeLegend(b)
		b.WriteString(timelineEnd)
		p.writeChoice(b)
		b.WriteString(phaseCharts)
	}
	b.WriteString("<script type=\"application/json\" id=\"data\">")
	b.Write(data) // json.Marshal escapes <
	fmt.Fprintf(b, "</script>\n<script>\n%s</script>\n<script>\n%s</script>\n", modelScript, pageScript)
	return nil
}

// latest returns the events that ended last, at most the given number.
func latest(events []Event, most int) []Event {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b Event) int {
		return a.Start.Add(a.Duration).Compare(b.Start.Add(b.Duration))
	})
	return sorted[len(sorted)-most:]
}

// about describes the subject of the page.
func (r *Run) about() string {
	steps := ""
	if n := len(r.named("loss").Values); n > 0 {
		last := r.named("loss").Iterations[n-1]
		steps = fmt.Sprintf("%s iterations. ", thousands(last))
	}
	if len(r.Events) == 0 && steps != "" {
		return steps
	}
	if len(r.Events) == 0 {
		return "There are no events: nothing was trained while statistics were collected."
	}
	var first, last time.Time
	lanes := map[string]bool{}
	for _, e := range r.Events {
		lanes[e.Worker] = true
		if first.IsZero() || e.Start.Before(first) {
			first = e.Start
		}
		if end := e.Start.Add(e.Duration); end.After(last) {
			last = end
		}
	}
	return steps + fmt.Sprintf("%s events in %s lanes, from %s on, for %s.", thousands(len(r.Events)),
		thousands(len(lanes)), first.UTC().Format("2006-01-02 15:04:05.000 UTC"), span(last.Sub(first)))
}

// WritePage writes a page with only the frame.
func (f Frame) WritePage(w io.Writer, title string) error {
	var b strings.Builder
	f.begin(&b, title)
	f.end(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
