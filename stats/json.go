package stats

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
)

// The head of the JSON of statistics.
const (
	jsonFormat  = "dl4go training statistics"
	jsonVersion = 3 // 1 has no settings and no series, 2 no histograms

	longestTitle = 10_000
)

// WriteJSON writes a run, one event per line, in this form, which ReadJSON reads:
//
//	{"format":"dl4go training statistics","version":3,"title":"Training of model.zip","began":"2026-01-02T15:04:04.5Z",
//	"settings":{"batch":"64","training":"averaging"},
//	"series":[
//	{"name":"loss","iterations":[5,10],"seconds":[0.25,0.5],"values":[0.7,null]}
//	],
//	"histograms":[
//	{"name":"gradients/0_W","iteration":50,"low":-0.5,"high":0.25,"counts":[1,0, … ,2]}
//	],
//	"events":[
//	{"phase":"ParameterAveragingMasterFitTimesMs","worker":"master","start":"2026-01-02T15:04:05Z","duration":1234567}
//	]}
//
// phase is a Phase, start and began are times of RFC 3339, duration is a number of nanoseconds, seconds count since
// the run began, and values are null if they are not finite. Examples of 0, an empty title and a zero beginning are
// omitted.
func WriteJSON(w io.Writer, r Run) error {
	b := bufio.NewWriter(w)
	head, err := json.Marshal(struct {
		Format  string    `json:"format"`
		Version int       `json:"version"`
		Title   string    `json:"title,omitempty"`
		Began   time.Time `json:"began,omitzero"`
	}{jsonFormat, jsonVersion, r.Title, r.Began.UTC()})
	if err != nil {
		return fmt.Errorf("began: %w", err)
	}
	b.Write(head[:len(head)-1])
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return err
	}
	if r.Settings != nil {
		fmt.Fprintf(b, ",\n\"settings\":%s", settings)
	}
	if r.Failure != "" {
		failure, err := json.Marshal(r.Failure)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, ",\n\"failure\":%s", failure)
	}
	if err := writeLines(b, "series", len(r.Series), func(i int) any { return r.Series[i] }); err != nil {
		return err
	}
	if r.Histograms != nil {
		err := writeLines(b, "histograms", len(r.Histograms), func(i int) any { return r.Histograms[i] })
		if err != nil {
			return err
		}
	}
	err = writeLines(b, "events", len(r.Events), func(i int) any {
		e := r.Events[i]
		e.Start = e.Start.UTC()
		return e
	})
	if err != nil {
		return err
	}
	b.WriteString("}\n")
	return b.Flush()
}

// writeLines writes an array with one element per line.
func writeLines(b *bufio.Writer, name string, n int, element func(i int) any) error {
	fmt.Fprintf(b, ",\n%q:[", name)
	for i := range n {
		line, err := json.Marshal(element(i))
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]")
	return nil
}

// ReadJSON is the inverse of WriteJSON. Members may be in any order; unknown ones are an error. Errors about the text
// are *dl4j.FormatError, with the offset of the byte or the event.
func ReadJSON(r io.Reader) (Run, error) {
	text, err := readText(r)
	if err != nil {
		return Run{}, err
	}
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && start[0] != '{' {
		return Run{}, &dl4j.FormatError{Offset: int64(len(text) - len(start)),
			Err: errors.New("a file of another kind: " + jsonFormat + " are a JSON object")}
	}
	var all json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, &all); errors.As(err, &syntax) {
		if syntax.Offset >= int64(len(text)) && strings.HasPrefix(err.Error(), "unexpected end") {
			return Run{}, &dl4j.FormatError{Offset: int64(len(text)), Err: errors.New("the file ends too early")}
		}
		return Run{}, &dl4j.FormatError{Offset: syntax.Offset - 1, Err: err}
	}
	d := &document{Decoder: json.NewDecoder(bytes.NewReader(text))}
	d.DisallowUnknownFields()
	return d.read()
}

// ReadFile is [ReadJSON] for a file. Errors name the file.
func ReadFile(ctx context.Context, path string) (Run, error) {
	in, err := storage.Open(ctx, path)
	if err != nil {
		return Run{}, err
	}
	defer in.Close()
	r, err := ReadJSON(in)
	var bad *dl4j.FormatError
	if errors.As(err, &bad) {
		bad.Path = path
	}
	return r, err
}

// maxText is the maximum size of the text in bytes: some five million events.
const maxText = 1 << 30

// readText reads the text, or the beginning of a file of another kind.
func readText(r io.Reader) ([]byte, error) {
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return head[:n], nil
	}
	if start := bytes.TrimLeft(head, " \t\r\n"); err != nil || len(start) > 0 && start[0] != '{' {
		return head, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err == nil && len(rest) > maxText {
		err = &dl4j.FormatError{Offset: maxText, Err: fmt.Errorf("the text is longer than %d bytes", maxText)}
	}
	return append(head, rest...), err
}

// document reads JSON text.
type document struct {
	*json.Decoder
	workers map[string]string // each string once
}

func (d *document) read() (r Run, err error) {
	if err := d.delimiter('{'); err != nil {
		return Run{}, err
	}
	seen := map[string]bool{}
	for d.More() {
		at := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return Run{}, d.broken(at, "", err)
		}
		name, _ := token.(string)
		if seen[name] {
			return Run{}, d.broken(at, name, errors.New("it is there twice"))
		}
		seen[name] = true
		at = d.InputOffset()
		var version int
		var format string
		switch name {
		case "format":
			if err = d.Decode(&format); err == nil && format != jsonFormat {
				err = fmt.Errorf("%q is not %q: a file of another kind", format, jsonFormat)
			}
		case "version":
			if err = d.Decode(&version); err == nil && (version < 1 || version > jsonVersion) {
				err = fmt.Errorf("version %d, this program reads 1 to %d", version, jsonVersion)
			}
		case "title":
			if err = d.Decode(&r.Title); err == nil && len(r.Title) > longestTitle {
				err = fmt.Errorf("it has %d bytes, at most %d are read", len(r.Title), longestTitle)
			}
		case "began":
			if err = d.Decode(&r.Began); err == nil {
				r.Began, err = r.Began.UTC(), validTime(r.Began)
			}
		case "settings":
			if err = d.Decode(&r.Settings); err == nil {
				err = validSettings(r.Settings)
			}
		case "failure":
			if err = d.Decode(&r.Failure); err == nil && len(r.Failure) > longestTitle {
				err = fmt.Errorf("it has %d bytes, at most %d are read", len(r.Failure), longestTitle)
			}
		case "series":
			r.Series, err = d.series()
		case "histograms":
			r.Histograms, err = d.histograms()
		case "events":
			r.Events, err = d.events()
		default:
			err = fmt.Errorf("%q is not a member of %s", name, jsonFormat)
		}
		if err != nil {
			return Run{}, d.broken(at, name, err)
		}
	}
	if err := d.delimiter('}'); err != nil {
		return Run{}, err
	}
	for _, name := range []string{"format", "version", "events"} {
		if !seen[name] {
			return Run{}, d.broken(d.InputOffset(), "", fmt.Errorf("no %q: not %s, or only a part", name, jsonFormat))
		}
	}
	return r, nil
}

func (d *document) delimiter(want json.Delim) error {
	at := d.InputOffset()
	token, err := d.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v where %v should be", token, want)
	}
	if err != nil {
		return d.broken(at, "", err)
	}
	return nil
}

// The maximum sizes of settings, series and histograms that are read.
const (
	mostSettings = 1000
	mostSeries   = 20_000
	mostSpreads  = 100_000
)

func validSettings(all map[string]string) error {
	if len(all) > mostSettings {
		return fmt.Errorf("there are %d, at most %d are read", len(all), mostSettings)
	}
	for name, value := range all {
		if len(name) > longestName || len(value) > longestTitle {
			return fmt.Errorf("%.60q is too long", name)
		}
	}
	return nil
}

func (d *document) series() ([]Series, error) {
	if err := d.delimiter('['); err != nil {
		return nil, err
	}
	var all []Series
	names := map[string]bool{}
	for d.More() {
		at, place := d.InputOffset(), fmt.Sprintf("series[%d]", len(all))
		var s Series
		err := d.Decode(&s)
		switch {
		case err == nil && names[s.Name]:
			err = fmt.Errorf("%.60q is there twice", s.Name)
		case err == nil && len(all) == mostSeries:
			err = fmt.Errorf("at most %d are read", mostSeries)
		}
		if err != nil {
			return nil, d.broken(at, place, err)
		}
		names[s.Name] = true
		all = append(all, s)
	}
	return all, d.delimiter(']')
}

func (d *document) histograms() ([]Histogram, error) {
	if err := d.delimiter('['); err != nil {
		return nil, err
	}
	var all []Histogram
	for d.More() {
		at, place := d.InputOffset(), fmt.Sprintf("histograms[%d]", len(all))
		var h Histogram
		err := d.Decode(&h)
		if err == nil {
			err = h.validate()
		}
		if err == nil && len(all) == mostSpreads {
			err = fmt.Errorf("at most %d are read", mostSpreads)
		}
		if err != nil {
			return nil, d.broken(at, place, err)
		}
		all = append(all, h)
	}
	return all, d.delimiter(']')
}

func (d *document) events() ([]Event, error) {
	if err := d.delimiter('['); err != nil {
		return nil, err
	}
	d.workers = map[string]string{}
	events := []Event{}
	var sum time.Duration
	for d.More() {
		at, place := d.InputOffset(), fmt.Sprintf("events[%d]", len(events))
		var e Event
		err := d.Decode(&e)
		if err == nil {
			err = e.validate()
		}
		if err == nil && e.Duration > math.MaxInt64-sum {
			err = errors.New("duration: all of them come to more than 290 years")
		}
		if err != nil {
			return nil, d.broken(at, place, err)
		}
		if name, ok := d.workers[e.Worker]; ok {
			e.Worker = name
		} else {
			d.workers[e.Worker] = e.Worker
		}
		events = append(events, e)
		sum += e.Duration
	}
	return events, d.delimiter(']')
}

// validate refuses figures that the exports can't represent.
func (e *Event) validate() error {
	const longest = 366 * 24 * time.Hour
	switch {
	case e.Phase.place() < 0:
		return fmt.Errorf("phase: %q is none of training's phases", e.Phase)
	case e.Worker == "" || len(e.Worker) > 200:
		return fmt.Errorf("worker: a name of 1 to 200 bytes is needed, this has %d", len(e.Worker))
	case validTime(e.Start) != nil:
		return fmt.Errorf("start: %w", validTime(e.Start))
	case e.Duration < 0 || e.Duration > longest:
		return fmt.Errorf("duration: %d ns is not from 0 to a year", e.Duration)
	case e.Examples < 0 || e.Examples > math.MaxInt32:
		return fmt.Errorf("examples: %d is not from 0 to %d", e.Examples, math.MaxInt32)
	}
	e.Start = e.Start.UTC()
	return nil
}

func validTime(t time.Time) error {
	if t.Year() < 1970 || t.Year() > 2100 {
		return fmt.Errorf("the year %d is not from 1970 to 2100", t.Year())
	}
	return nil
}

// broken turns an error at a place into a FormatError, unless it is one.
func (d *document) broken(at int64, place string, err error) error {
	var done *dl4j.FormatError
	if errors.As(err, &done) {
		return err
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		err = fmt.Errorf("%s: %s is no %s", kind.Field, kind.Value, kind.Type)
	}
	return &dl4j.FormatError{Offset: at, At: place, Err: err}
}
