package stats

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// WriteComparison writes a page that overlays the curves of runs, and lists their last figures and the settings in
// which they differ. Titles distinguish the runs.
func WriteComparison(w io.Writer, title string, runs []Run) error {
	return Frame{}.WriteComparison(w, title, runs)
}

// WriteComparison is the function of that name, with the frame around its page.
func (f Frame) WriteComparison(w io.Writer, title string, runs []Run) error {
	var b strings.Builder
	f.begin(&b, title)
	fmt.Fprintf(&b, "<p>%d runs.</p>\n", len(runs))
	writeLast(&b, runs)
	writeDifferences(&b, runs)
	b.WriteString("<h2>Learning</h2>\n<div class=\"pair\">\n")
	for _, name := range comparedNames(runs) {
		c := chart{title: name}
		for i := range runs {
			s := runs[i].named(name)
			if len(s.Values) > 0 {
				c.lines = append(c.lines, line{label: runs[i].Title, colour: lineColour(i), Series: s})
			}
		}
		c.write(&b)
	}
	fmt.Fprintf(&b, "</div>\n<script>\n%s</script>\n", chartScript)
	f.end(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// CompareFiles reads runs from files of JSON and writes a page that compares them; the page is written completely or
// not at all. The titles of the runs are the names of their files.
func CompareFiles(ctx context.Context, from []string, to, title string) error {
	var runs []Run
	names := map[string]int{}
	for _, file := range from {
		r, err := ReadFile(ctx, file)
		if err != nil {
			return err
		}
		if len(r.Series) == 0 {
			return fmt.Errorf("%s: it has no learning curves; train again with --stats-file", file)
		}
		r.Title = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if names[r.Title]++; names[r.Title] > 1 { // a file of another directory
			r.Title = file
		}
		runs = append(runs, r)
	}
	return storage.WriteFile(ctx, to, func(w io.Writer) error { return WriteComparison(w, title, runs) })
}

// comparedNames returns the names of the figures about whole runs, those of epochs first.
func comparedNames(runs []Run) []string {
	names := []string{"epochLoss", "heldOutLoss"}
	for _, r := range runs {
		for _, s := range r.Series {
			if !strings.Contains(s.Name, "/") && !slices.Contains(names, s.Name) && s.Name != "bytesSent" {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// writeLast tabulates the last value of each figure.
func writeLast(b *strings.Builder, runs []Run) {
	b.WriteString("<h2>At the end</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">run</th>")
	names := comparedNames(runs)
	for _, name := range names {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(name))
	}
	b.WriteString("<th scope=\"col\">iterations</th></tr></thead>\n<tbody>\n")
	for i := range runs {
		fmt.Fprintf(b, "<tr><th scope=\"row\"><span class=\"dot\" style=\"background:var(--p%d)\"></span>%s</th>",
			lineColour(i),
			html.EscapeString(runs[i].Title))
		for _, name := range names {
			s, text := runs[i].named(name), ""
			if last, ok := s.Last(); ok {
				text = figure(last)
			}
			fmt.Fprintf(b, "<td>%s</td>", text)
		}
		iterations := 0
		if s := runs[i].named("loss"); len(s.Iterations) > 0 {
			iterations = s.Iterations[len(s.Iterations)-1]
		}
		fmt.Fprintf(b, "<td>%s</td></tr>\n", thousands(iterations))
	}
	b.WriteString("</tbody></table></div>\n")
}

// writeDifferences tabulates the settings in which the runs differ.
func writeDifferences(b *strings.Builder, runs []Run) {
	all := map[string]bool{}
	for _, r := range runs {
		for name := range r.Settings {
			all[name] = true
		}
	}
	b.WriteString("<h2>Settings that differ</h2>\n")
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.ContainsFunc(runs, func(r Run) bool { return r.Settings[name] != runs[0].Settings[name] }) {
			rows = append(rows, name)
		}
	}
	if rows == nil {
		b.WriteString("<p>None of those that are known.</p>\n")
		return
	}
	b.WriteString("<div class=\"wide\"><table class=\"settings\">\n<thead><tr><th scope=\"col\">setting</th>")
	for _, r := range runs {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(r.Title))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, name := range rows {
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th>", html.EscapeString(name))
		for _, r := range runs {
			fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(r.Settings[name]))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}
