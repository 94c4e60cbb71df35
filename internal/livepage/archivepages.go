package livepage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// listed are the figures in the list, by the names of their series.
var listed = []struct{ series, title string }{{"epochLoss", "loss"}, {"heldOutLoss", "held-out loss"},
	{"accuracy", "accuracy"}, {"r2", "R²"}, {"learningRate", "learning rate"}}

// list serves the page of all runs.
func (a *Archive) list(w http.ResponseWriter, r *http.Request) {
	runs, err := a.runs(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<form action=\"/compare\"><p><button>Compare the chosen runs</button> <span class=\"hint\">"+
		"Choose 2 to %d. Reload the page for new runs.</span></p>\n<div class=\"wide\"><table class=\"runs\">\n"+
		"<thead><tr><th scope=\"col\">run</th>", mostCompared)
	for _, f := range listed {
		fmt.Fprintf(&b, "<th scope=\"col\">%s</th>", f.title)
	}
	b.WriteString("<th scope=\"col\">iterations</th><th scope=\"col\">began</th></tr></thead>\n<tbody>\n")
	for i := range runs {
		runs[i].write(&b)
	}
	b.WriteString("</tbody></table></div></form>\n")
	if len(runs) == 0 {
		b.WriteString("<p>There are none. <code>dl4go train --stats-file NAME.json</code> writes one here.</p>\n")
	}
	frame := stats.Frame{Policy: "; form-action 'self'", Top: b.String()}
	var page bytes.Buffer
	if err := frame.WritePage(&page, "Runs of "+a.Dir); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, page.Bytes())
}

func (s *summary) write(b *strings.Builder) {
	name := html.EscapeString(s.name)
	if s.err != nil {
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th><td colspan=\"%d\">can't be read: %s</td></tr>\n", name, len(listed)+2,
			html.EscapeString(s.err.Error()))
		return
	}
	fmt.Fprintf(b, "<tr><th scope=\"row\"><input type=\"checkbox\" name=\"run\" value=\"%s\" aria-label=\"choose %s\"/> "+
		"<a href=\"/run?run=%s\">%s</a></th>", name, name, url.QueryEscape(s.name), name)
	for _, f := range listed {
		text := ""
		if v, ok := s.last[f.series]; ok {
			text = strconv.FormatFloat(v, 'g', 4, 64)
		}
		fmt.Fprintf(b, "<td>%s</td>", text)
	}
	began := ""
	if !s.began.IsZero() {
		began = s.began.UTC().Format(time.DateTime)
	}
	fmt.Fprintf(b, "<td>%d</td><td>%s</td></tr>\n", s.steps, began)
}

const backTop = "<p><a href=\"/\">All runs</a></p>\n"

// run serves the page of one run.
func (a *Archive) run(w http.ResponseWriter, r *http.Request) {
	runs, ok := a.chosen(w, r, 1, 1)
	if !ok {
		return
	}
	var b bytes.Buffer
	if err := (stats.Frame{Top: backTop}).WriteRun(&b, &runs[0]); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, b.Bytes())
}

// compare serves the page of several runs.
func (a *Archive) compare(w http.ResponseWriter, r *http.Request) {
	runs, ok := a.chosen(w, r, 2, mostCompared)
	if !ok {
		return
	}
	var b bytes.Buffer
	if err := (stats.Frame{Top: backTop}).WriteComparison(&b, "Comparison of runs", runs); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, b.Bytes())
}

// chosen reads the runs that a request names. If it can't, it writes the error response. It reads only files of the
// list.
func (a *Archive) chosen(w http.ResponseWriter, r *http.Request, least, most int) (out []stats.Run, ok bool) {
	names := r.URL.Query()["run"]
	if len(names) < least || len(names) > most {
		http.Error(w, fmt.Sprintf("%d runs are chosen; choose %d to %d", len(names), least, most), http.StatusBadRequest)
		return nil, false
	}
	all, err := a.runs(r.Context())
	for _, name := range names {
		at := slices.IndexFunc(all, func(s summary) bool { return s.name == name && s.err == nil })
		if err == nil && at < 0 {
			http.Error(w, fmt.Sprintf("there is no run %q", name), http.StatusNotFound)
			return nil, false
		}
		var run stats.Run
		if err == nil {
			run, err = all[at].open(r.Context(), len(names) > 1)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return nil, false
		}
		out = append(out, run)
	}
	return out, true
}

// open reads the run. In a comparison, the run's title is its file's name, and it has no events.
func (s *summary) open(ctx context.Context, compared bool) (stats.Run, error) {
	run, err := stats.ReadFile(ctx, s.path)
	run.Title = cmp.Or(run.Title, s.name)
	if compared {
		run.Title, run.Events = s.name, nil
	}
	return run, err
}
