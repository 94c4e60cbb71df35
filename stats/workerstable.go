package stats

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// workerFigures are the series of single workers, which are named FIGURE/WORKER, and the headings of their columns.
var workerFigures = []struct{ name, head string }{
	{"speed", "examples per second"}, {"slower", "seconds behind the fastest"}, {"restarts", "restarts"},
	{"cpu", "processors busy"}, {"gc", "of them collecting garbage"}, {"memory", inMegabytes},
}

// inMegabytes is the heading of a column that shows bytes as megabytes.
const inMegabytes = "MB of memory"

// writeWorkers writes a table of the figures of the workers and the driver: the last value of each, with a small line
// of its course.
func (r *Run) writeWorkers(b *strings.Builder) {
	if table := r.members(); len(table.rows) > 0 {
		table.write(b, "Workers")
	}
}

// members is a table of workers' figures.
type members struct {
	rows, columns []string
	cells         map[[2]string]*Series
}

func (r *Run) members() members {
	m := members{cells: map[[2]string]*Series{}}
	for _, f := range workerFigures {
		n := len(m.cells)
		for i := range r.Series {
			s := &r.Series[i]
			if figure, row, ok := strings.Cut(s.Name, "/"); ok && figure == f.name && len(s.Values) > 0 {
				m.rows = append(m.rows, row)
				m.cells[[2]string{row, f.head}] = s
			}
		}
		if len(m.cells) > n {
			m.columns = append(m.columns, f.head)
		}
	}
	slices.SortFunc(m.rows, byWorker)
	m.rows = slices.Compact(m.rows)
	return m
}

// mostSparks is the maximum number of rows with lines beside their figures, because thousands would be slow to draw.
const mostSparks = 64

func (m members) write(b *strings.Builder, title string) {
	fmt.Fprintf(b, "<h2>%s</h2>\n<div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"+
		"<table>\n<thead><tr><th scope=\"col\">name</th>", title, title)
	for _, c := range m.columns {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(c))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range m.rows {
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th>", html.EscapeString(row))
		for _, column := range m.columns {
			s := m.cells[[2]string{row, column}]
			if s == nil {
				b.WriteString("<td></td>")
				continue
			}
			last, _ := s.Last()
			if column == inMegabytes {
				last /= 1e6
			}
			fmt.Fprintf(b, "<td>%s", figure(last))
			if len(m.rows) <= mostSparks {
				writeSpark(b, s)
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

// The size of such a line, in pixels.
const sparkWidth, sparkHeight = 60, 14

// writeSpark draws a series as a line without axes; a tooltip has its minimum and maximum.
func writeSpark(b *strings.Builder, s *Series) {
	box, ok := (&chart{lines: []line{{Series: *s}}}).bounds()
	if !ok || len(s.Values) < 2 {
		return
	}
	var path strings.Builder
	step := max(1, len(s.Values)/sparkWidth)
	for i := 0; i < len(s.Values); i += step {
		if v := s.Values[i]; !math.IsNaN(v) {
			move := "L"
			if path.Len() == 0 {
				move = "M"
			}
			x := (float64(s.Iterations[i]) - box.left) / (box.right - box.left) * sparkWidth
			y := sparkHeight - 1 - (v-box.low)/(box.high-box.low)*(sparkHeight-2)
			fmt.Fprintf(&path, "%s%.1f %.1f", move, x, y)
		}
	}
	fmt.Fprintf(b, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "+
		"aria-hidden=\"true\"><title>%s to %s</title><path d=\"%s\" fill=\"none\" stroke=\"var(--p13)\"/></svg>", sparkWidth,
		sparkHeight, sparkWidth, sparkHeight,
		figure(box.low), figure(box.high), path.String())
}
