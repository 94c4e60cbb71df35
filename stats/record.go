package stats

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/dl4go/dl4go/program"
)

// Record is the binary form in which workers send events. An event takes about 12 bytes; as JSON it would take 150
// bytes, and twenty times as long. Concatenated records are a record of all their events, so a process that only
// forwards records need not parse them.
//
// It consists of runs. A run of one worker's events is 0, the length of the worker's name, the name, the number of
// events, and of each event the phase's index in Phases, the start in nanoseconds (the first since 1970, the others
// since the one before), the duration in nanoseconds and the examples. A run of measurements is 1, their number, and
// of each the length of its name, the name, the iteration and the bits of the value. A run of costs is 2, their
// number, and of each the layer, phase and operation, each preceded by its length, the times and the nanoseconds. A
// run of histograms is 3, their number, and of each the name preceded by its length, the iteration, the bits of its
// range, and the counts. Numbers are varints.
type Record []byte

// The kinds of runs.
const (
	recordedEvents = iota
	recordedMeasurements
	recordedCosts
	recordedHistograms
)

// NewRecord makes a record of events. Their phases must be among Phases.
func NewRecord(events []Event) Record {
	var r Record
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Worker == events[0].Worker {
			n++
		}
		r = binary.AppendUvarint(r, recordedEvents)
		r = appendText(r, events[0].Worker)
		r = binary.AppendUvarint(r, uint64(n))
		var last int64
		for _, e := range events[:n] {
			start := e.Start.UnixNano()
			r = binary.AppendUvarint(r, uint64(e.Phase.place()))
			r = binary.AppendVarint(r, start-last)
			r = binary.AppendVarint(r, int64(e.Duration))
			r = binary.AppendVarint(r, int64(e.Examples))
			last = start
		}
		events = events[n:]
	}
	return r
}

// recordOf makes a record of measurements.
func recordOf(measured []Measurement) Record {
	if len(measured) == 0 {
		return nil
	}
	r := binary.AppendUvarint(nil, recordedMeasurements)
	r = binary.AppendUvarint(r, uint64(len(measured)))
	for _, m := range measured {
		r = appendText(r, m.Name)
		r = binary.AppendVarint(r, int64(m.Iteration))
		r = binary.AppendUvarint(r, math.Float64bits(m.Value))
	}
	return r
}

func recordOfHistograms(all []Histogram) Record {
	if len(all) == 0 {
		return nil
	}
	r := binary.AppendUvarint(nil, recordedHistograms)
	r = binary.AppendUvarint(r, uint64(len(all)))
	for _, h := range all {
		r = appendText(r, h.Name)
		r = binary.AppendVarint(r, int64(h.Iteration))
		r = binary.AppendUvarint(r, math.Float64bits(h.Low))
		r = binary.AppendUvarint(r, math.Float64bits(h.High))
		for _, n := range h.Counts {
			r = binary.AppendUvarint(r, uint64(n))
		}
	}
	return r
}

func appendText(r Record, text string) Record {
	r = binary.AppendUvarint(r, uint64(len(text)))
	return append(r, text...)
}

// Events returns the events in order. Their starts are in the local time zone.
func (r Record) Events() ([]Event, error) {
	read, err := r.read()
	return read.events, err
}

// recorded is the content of a record.
type recorded struct {
	events   []Event
	measured []Measurement
	costs    []program.Cost
	spreads  []Histogram
}

func (r Record) read() (got recorded, err error) {
	in := recordReader{rest: r}
	for len(in.rest) > 0 && !in.bad {
		switch in.unsigned() {
		case recordedEvents:
			got.events = in.events(got.events)
		case recordedMeasurements:
			for n := in.unsigned(); n > 0 && !in.bad; n-- {
				m := Measurement{Name: in.text(), Iteration: int(in.signed())}
				m.Value = math.Float64frombits(in.unsigned())
				if !in.bad {
					got.measured = append(got.measured, m)
				}
			}
		case recordedCosts:
			for n := in.unsigned(); n > 0 && !in.bad; n-- {
				c := program.Cost{Scope: program.Scope{Layer: in.text(), Phase: program.Phase(in.text())}, Op: in.text()}
				c.Times, c.Took = in.signed(), time.Duration(in.signed())
				got.costs = append(got.costs, c)
			}
		case recordedHistograms:
			for n := in.unsigned(); n > 0 && !in.bad; n-- {
				h := in.histogram()
				if !in.bad {
					got.spreads = append(got.spreads, h)
				}
			}
		default:
			in.bad = true
		}
	}
	if in.bad {
		return recorded{}, errors.New("the record of a worker's training statistics is damaged")
	}
	return got, nil
}

// events reads a run of events.
func (r *recordReader) events(events []Event) []Event {
	worker := r.text()
	start := int64(0)
	for n := r.unsigned(); n > 0 && !r.bad; n-- {
		phase := r.unsigned()
		start += r.signed()
		e := Event{Worker: worker, Start: time.Unix(0, start), Duration: time.Duration(r.signed()),
			Examples: int(r.signed())}
		if r.bad = r.bad || phase >= uint64(len(Phases)); !r.bad {
			e.Phase = Phases[phase]
			events = append(events, e)
		}
	}
	return events
}

func (r *recordReader) histogram() Histogram {
	h := Histogram{Name: r.text(), Iteration: int(r.signed()), Low: math.Float64frombits(r.unsigned()),
		High: math.Float64frombits(r.unsigned()), Counts: make([]int, HistogramBins)}
	for i := range h.Counts {
		h.Counts[i] = int(r.unsigned())
	}
	r.bad = r.bad || h.validate() != nil
	return h
}

type recordReader struct {
	rest []byte
	bad  bool
}

func (r *recordReader) unsigned() uint64 { return number(r, binary.Uvarint) }

func (r *recordReader) signed() int64 { return number(r, binary.Varint) }

func number[T uint64 | int64](r *recordReader, read func([]byte) (T, int)) T {
	x, n := read(r.rest)
	if n <= 0 {
		r.bad, n = true, 0
	}
	r.rest = r.rest[n:]
	return x
}

func (r *recordReader) text() string {
	n := r.unsigned()
	if r.bad = r.bad || n > uint64(len(r.rest)); r.bad {
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
