package stats

import (
	"encoding/binary"
	"errors"
	"time"
)

// Record is events in bytes, as workers send them: some 12 bytes each, where JSON has 150 and takes twenty times as
// long. Records one behind the other are a record of all their events, so that who only passes them on need not read
// them.
//
// It is runs of events of one worker: its name's length, the name, how many events, and of each event the phase's place
// in Phases, the start in nanoseconds (the first since 1970, the others since the one before), the duration in
// nanoseconds and the examples. Numbers are varints.
type Record []byte

// NewRecord makes a record of events, whose phases are among Phases.
func NewRecord(events []Event) Record {
	var r Record
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Worker == events[0].Worker {
			n++
		}
		r = binary.AppendUvarint(r, uint64(len(events[0].Worker)))
		r = append(r, events[0].Worker...)
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

// Events gives the events, in their order. Their starts are in the local time zone.
func (r Record) Events() ([]Event, error) {
	var events []Event
	in := recordReader{rest: r}
	for len(in.rest) > 0 && !in.bad {
		worker := in.text()
		start := int64(0)
		for n := in.unsigned(); n > 0 && !in.bad; n-- {
			phase := in.unsigned()
			start += in.signed()
			e := Event{Worker: worker, Start: time.Unix(0, start), Duration: time.Duration(in.signed()),
				Examples: int(in.signed())}
			if in.bad = in.bad || phase >= uint64(len(Phases)); !in.bad {
				e.Phase = Phases[phase]
				events = append(events, e)
			}
		}
	}
	if in.bad {
		return nil, errors.New("the record of a worker's training statistics is damaged")
	}
	return events, nil
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
