package livepage

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// Run is a run that is training.
type Run interface {
	// Now returns the run up to now.
	Now() stats.Run
	// End ends the run as if its training were complete.
	End()
	// LowerLearningRate multiplies the run's learning rates by a factor between 0 and 1. It returns when that takes
	// effect.
	LowerLearningRate(by float64) (when string, err error)
}

// Live is the page of a run while it trains.
type Live struct{ Run Run }

//go:embed page/live.js
var liveScript string

// mostDrawn is the maximum number of events on the timeline of a live page.
const mostDrawn = 100_000

// writeTime is how long a browser may take to read an update. A slower one is disconnected.
const writeTime = 20 * time.Second

func (l Live) handler(closed <-chan struct{}, g *guard) http.Handler {
	f := &feed{now: l.Run.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, g) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { f.stream(w, r, closed) })
	mux.HandleFunc("POST /end", steerBy(func(*http.Request) (string, error) {
		l.Run.End()
		return "The run ends after the step under way, and saves its model.", nil
	}))
	mux.HandleFunc("POST /learning-rate", steerBy(func(r *http.Request) (string, error) {
		by, err := strconv.ParseFloat(r.FormValue("by"), 64)
		if err != nil || !(by > 0 && by < 1) {
			return "", errors.New("the learning rate is lowered by a factor between 0 and 1")
		}
		when, err := l.Run.LowerLearningRate(by)
		return fmt.Sprintf("The learning rate is multiplied by %v %s.", by, when), err
	}))
	return mux
}

// mostForm is the maximum size in bytes of the form of a steering request.
const mostForm = 1 << 10

// steerBy returns a handler that steers the run by do, if the request may steer.
func steerBy(do func(*http.Request) (told string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !steers(r) {
			http.Error(w, "this token allows to watch only", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostForm)
		told, err := do(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, told)
	}
}

const watchTop = `<div class="live"><p role="status" id="state">The page is connecting to the run.</p>
<p role="status" id="told"></p>
%s</div>
`

const steerTop = `<p class="steer"><button id="end" type="button">End the run</button>
<button class="lower" type="button" value="0.5">Halve the learning rate</button>
<button class="lower" type="button" value="0.1">Learning rate ÷ 10</button>
<a href="%s">link for watching only</a></p>
`

// page serves the page of the run as it is now; its script keeps it current.
func (l Live) page(w http.ResponseWriter, r *http.Request, g *guard) {
	steer := ""
	if steers(r) {
		steer = fmt.Sprintf(steerTop, html.EscapeString("/?token="+g.watch))
	}
	frame := stats.Frame{Policy: "; connect-src 'self'", Top: fmt.Sprintf(watchTop, steer),
		Bottom: "<script>\n" + liveScript + "</script>\n", MostEvents: mostDrawn}
	now := l.Run.Now()
	var b bytes.Buffer
	if err := frame.WriteRun(&b, &now); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, b.Bytes())
}

// send writes a page, with a deadline.
func send(w http.ResponseWriter, page []byte) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(3 * writeTime))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page)
}

// stream sends the sections of the page whenever they change, as server-sent events, until the server ends.
func (f *feed) stream(w http.ResponseWriter, r *http.Request, closed <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	write := func(event string, content any) error {
		text, err := json.Marshal(content)
		if err == nil {
			out.SetWriteDeadline(time.Now().Add(writeTime))
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, text)
		}
		return err
	}
	sent := map[string]string{}
	update := func(sections []stats.Section) error {
		for _, s := range sections {
			if sent[s.ID] == s.HTML {
				continue
			}
			if err := write("section", map[string]string{"id": s.ID, "html": s.HTML}); err != nil {
				return err
			}
			sent[s.ID] = s.HTML
		}
		if err := write("time", time.Now().UTC().Format(time.TimeOnly+" UTC")); err != nil {
			return err
		}
		return out.Flush()
	}
	for {
		sections, again := f.current()
		if update(sections) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-closed:
			if update(f.last()) == nil && write("end", "") == nil {
				out.Flush()
			}
			return
		case <-time.After(again):
		}
	}
}
