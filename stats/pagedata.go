package stats

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// page has the events in the form for the page's script: lane by lane, by start; if two start together, the longer one
// is first. Times are microseconds. A start is relative to the previous one in its lane, the first to Origin.
type page struct {
	Origin   float64     `json:"origin"` // milliseconds since 1970
	Phases   []pagePhase `json:"phases"`
	RateOf   int         `json:"rateOf"` // the index in Phases of the phase with the workers' examples; -1 if none
	Lanes    []string    `json:"lanes"`
	Counts   []int       `json:"counts"` // number of events of each lane
	Phase    string      `json:"phase"`  // a letter for each event: A is the first of Phases
	Start    []int64     `json:"start"`
	Duration []int64     `json:"duration"`
	Examples []int       `json:"examples"`

	origin time.Time
}

type pagePhase struct {
	Name   Phase  `json:"name"`
	Short  string `json:"short"`
	Colour int    `json:"colour"`

	label string
}

func newPage(events []Event, summaries []Summary) *page {
	p := &page{RateOf: -1, Phases: []pagePhase{}, Lanes: []string{}, Counts: []int{}, Start: []int64{},
		Duration: []int64{}, Examples: []int{}}
	letter := map[Phase]byte{}
	for i, s := range summaries {
		place := s.Phase.place()
		letter[s.Phase] = byte('A' + i)
		p.Phases = append(p.Phases, pagePhase{s.Phase, shorts[place], place, s.Phase.Short()})
	}
	for _, phase := range []Phase{WorkerFit, WorkerProcessMinibatch, WorkerTotal, MasterFit} {
		i := slices.IndexFunc(summaries, func(s Summary) bool { return s.Phase == phase && s.Examples > 0 })
		if i >= 0 {
			p.RateOf = i
			break
		}
	}
	lanes := map[string][]Event{}
	for _, e := range events {
		if letter[e.Phase] == 0 {
			continue
		}
		lanes[e.Worker] = append(lanes[e.Worker], e)
		if p.origin.IsZero() || e.Start.Before(p.origin) {
			p.origin = e.Start
		}
	}
	p.origin = p.origin.Truncate(time.Microsecond)
	p.Origin = float64(p.origin.UnixMicro()) / 1000
	for worker := range lanes {
		p.Lanes = append(p.Lanes, worker)
	}
	slices.SortFunc(p.Lanes, byWorker)
	var phases strings.Builder
	for _, worker := range p.Lanes {
		own := lanes[worker]
		slices.SortStableFunc(own, func(a, b Event) int {
			return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(b.Duration, a.Duration),
				cmp.Compare(a.Phase.place(), b.Phase.place()))
		})
		p.Counts = append(p.Counts, len(own))
		before := int64(0)
		for _, e := range own {
			since := e.Start.Sub(p.origin)
			at, end := since.Microseconds(), (since + e.Duration).Microseconds()
			phases.WriteByte(letter[e.Phase])
			p.Start, p.Duration, p.Examples = append(p.Start, at-before), append(p.Duration, end-at),
				append(p.Examples, e.Examples)
			before = at
		}
	}
	p.Phase = phases.String()
	return p
}

// byWorker orders lanes: the master, then workers by name; names that differ only in a number at the end are ordered
// by the number.
func byWorker(a, b string) int {
	if (a == "master") != (b == "master") {
		if a == "master" {
			return -1
		}
		return 1
	}
	cut := func(s string) (string, int) {
		name := strings.TrimRight(s, "0123456789")
		n, _ := strconv.Atoi(s[len(name):])
		return name, n
	}
	nameA, numberA := cut(a)
	nameB, numberB := cut(b)
	return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

// writeSettings lists the settings of a run.
func writeSettings(b *strings.Builder, all map[string]string) {
	if len(all) == 0 {
		return
	}
	b.WriteString("<h2>Settings</h2>\n<div class=\"wide\"><table class=\"settings\">\n<tbody>\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", html.EscapeString(name),
			html.EscapeString(all[name]))
	}
	b.WriteString("</tbody></table></div>\n")
}

// writeLegend writes a check box for each phase, which shows or hides it on the timeline.
func (p *page) writeLegend(b *strings.Builder) {
	b.WriteString("<fieldset id=\"legend\" aria-label=\"phases shown on the timeline\">\n")
	for i, phase := range p.Phases {
		fmt.Fprintf(b, "<label><input type=\"checkbox\" value=\"%d\" checked=\"checked\"/> <span class=\"dot\" "+
			"style=\"background:var(--p%d)\"></span>%s</label>\n",
			i, phase.Colour, html.EscapeString(phase.label))
	}
	b.WriteString("</fieldset>\n")
}

// writeChoice writes the list of the phases with charts.
func (p *page) writeChoice(b *strings.Builder) {
	b.WriteString("<p><label for=\"phase\">Durations of </label><select id=\"phase\">\n")
	for i, phase := range p.Phases {
		selected := ""
		if i == max(p.RateOf, 0) {
			selected = " selected=\"selected\""
		}
		fmt.Fprintf(b, "<option value=\"%d\"%s>%s</option>\n", i, selected, phase.Name)
	}
	b.WriteString("</select></p>\n")
}
