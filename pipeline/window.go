package pipeline

import (
	"fmt"
	"time"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/joda"
)

// ReduceSequence reduces each sequence to one step (sequence.ReduceSequenceTransform). The reducer's keys are those of
// the first step. An empty sequence stays empty.
type ReduceSequence struct {
	Reducer *Reduce `dl4j:"reducer"`
}

// ReduceWindows reduces each window of a sequence to one step (sequence.window.ReduceSequenceByWindowTransform).
type ReduceWindows struct {
	Reducer *Reduce `dl4j:"reducer"`
	Window  Window  `dl4j:"windowFunction"`
}

// Window splits sequences into windows of time (org.datavec.api.transform.sequence.window.WindowFunction):
// [TimeWindow] or [OverlappingWindow].
type Window interface {
	bind(in *Schema) (cutter, *Schema, error)
}

// cutter returns the windows of a sequence, with their steps.
type cutter func(rows []Row) ([][]Row, error)

// TimeWindow makes consecutive windows. They begin at multiples of their size, in the local time of the column's zone,
// minus the offset. The columns for their start and end have these multiples without the offset, as in DataVec. DataVec
// differs: it gives them in local time.
type TimeWindow struct {
	Column       string   `dl4j:"timeColumn"`
	Size         int64    `dl4j:"windowSize"`
	Unit         TimeUnit `dl4j:"windowSizeUnit"`
	Offset       int64    `dl4j:"offsetAmount"`
	OffsetUnit   TimeUnit `dl4j:"offsetUnit,omitnull,zeronull"`
	AddStart     bool     `dl4j:"addWindowStartTimeColumn"` // a Time column windowStartTime
	AddEnd       bool     `dl4j:"addWindowEndTimeColumn"`   // a Time column windowEndTime
	ExcludeEmpty bool     `dl4j:"excludeEmptyWindows"`
}

// OverlappingWindow makes windows that begin at regular intervals: at multiples of Separation in UTC. The first window
// is the earliest that contains the first step, and the last one begins before the last step. To find these two, the
// offset is added to the times of the steps.
type OverlappingWindow struct {
	TimeWindow
	Separation     int64    `dl4j:"windowSeparation"`
	SeparationUnit TimeUnit `dl4j:"windowSeparationUnit"`
}

var windows = dl4j.NewClasses[Window]("window function")

func init() {
	const pkg = "org.datavec.api.transform.sequence."
	RegisterTransform(pkg+"ReduceSequenceTransform", func() Transform { return ReduceSequence{} })
	RegisterTransform(pkg+"window.ReduceSequenceByWindowTransform", func() Transform { return ReduceWindows{} })
	windows.Register(pkg+"window.TimeWindowFunction", func() Window { return &TimeWindow{} })
	windows.Register(pkg+"window.OverlappingTimeWindowFunction", func() Window { return &OverlappingWindow{} })
}

// Bind checks the reducer.
func (s ReduceSequence) Bind(in *Schema) (Bound, error) {
	columns, err := bindReducer(s.Reducer, in)
	if err != nil {
		return Bound{}, err
	}
	return Bound{in.With(outColumns(columns)), SequenceMap(func(rows []Row) ([]Row, error) {
		if len(rows) == 0 {
			return rows, nil
		}
		row, err := newReducing(columns).one(rows)
		return []Row{row}, err
	})}, nil
}

func bindReducer(r *Reduce, in *Schema) ([]reduced, error) {
	if err := wantSequences(in); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("the step has no reducer; give one")
	}
	return r.bind(in)
}

// Bind checks the window and the reducer.
func (s ReduceWindows) Bind(in *Schema) (Bound, error) {
	if s.Window == nil {
		return Bound{}, fmt.Errorf("the step has no windowFunction; give one")
	}
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	cut, wider, err := s.Window.bind(in)
	if err != nil {
		return Bound{}, err
	}
	columns, err := bindReducer(s.Reducer, wider)
	if err != nil {
		return Bound{}, err
	}
	return Bound{in.With(outColumns(columns)), SequenceMap(func(rows []Row) ([]Row, error) {
		parts, err := cut(rows)
		if err != nil {
			return nil, err
		}
		run := newReducing(columns)
		out := make([]Row, len(parts))
		for i, part := range parts {
			if out[i], err = run.one(part); err != nil {
				return nil, err
			}
		}
		return out, nil
	})}, nil
}

// windowing is a bound [TimeWindow].
type windowing struct {
	TimeWindow
	at           int
	size, offset int64
	zone         *time.Location
}

// prepare checks the settings that both kinds share. The returned schema has the added columns.
func (w *TimeWindow) prepare(in *Schema) (*windowing, *Schema, error) {
	at, c, err := findTime(in, w.Column)
	if err != nil {
		return nil, nil, err
	}
	b := &windowing{TimeWindow: *w, at: at}
	if b.size, err = positiveSpan("windowSize", w.Size, w.Unit); err != nil {
		return nil, nil, err
	}
	if w.Offset != 0 {
		if b.offset, err = w.OffsetUnit.millis(w.Offset); err != nil {
			return nil, nil, fmt.Errorf("offsetUnit: %w", err)
		}
	}
	if b.zone, err = joda.Zone(c.Zone); err != nil {
		return nil, nil, err
	}
	columns := append([]Column(nil), in.Columns...)
	if w.AddStart {
		columns = append(columns, TimeColumn{Name: "windowStartTime", Zone: "UTC"})
	}
	if w.AddEnd {
		columns = append(columns, TimeColumn{Name: "windowEndTime", Zone: "UTC"})
	}
	return b, in.With(columns), nil
}

func positiveSpan(setting string, n int64, u TimeUnit) (int64, error) {
	ms, err := u.millis(n)
	if err == nil && ms < 1 {
		err = fmt.Errorf("it has to be at least a millisecond")
	}
	if err != nil {
		return 0, fmt.Errorf("%s %d: %w", setting, n, err)
	}
	return ms, nil
}

// floorTo rounds a time down to a multiple of a span.
func floorTo(t, span int64) int64 {
	if r := t % span; r < 0 {
		return t - r - span
	} else {
		return t - r
	}
}

// times returns the times of steps.
func (b *windowing) times(rows []Row) ([]int64, error) {
	times := make([]int64, len(rows))
	for i, r := range rows {
		var err error
		if times[i], err = r[b.at].Long(); err != nil {
			return nil, inColumn(b.Column, err)
		}
	}
	return times, nil
}

// within returns a step with the window's columns added.
func (b *windowing) within(r Row, start int64) Row {
	if !b.AddStart && !b.AddEnd {
		return r
	}
	r = append(make(Row, 0, len(r)+2), r...)
	if b.AddStart {
		r = append(r, Long(start))
	}
	if b.AddEnd {
		r = append(r, Long(start+b.size))
	}
	return r
}

// maxWindows bounds the number of windows of a sequence, which is not bounded by its size.
const maxWindows = 1 << 20

// start returns the start of the window that contains a time.
func (b *windowing) start(t int64) int64 {
	shift := joda.Offset(t, b.zone) + b.offset
	return floorTo(t+shift, b.size) - shift
}

func (w *TimeWindow) bind(in *Schema) (cutter, *Schema, error) {
	b, wider, err := w.prepare(in)
	if err != nil {
		return nil, nil, err
	}
	return b.cut, wider, nil
}

// cut returns consecutive windows. A step that is earlier than its window stays in it.
func (b *windowing) cut(rows []Row) (out [][]Row, err error) {
	times, err := b.times(rows)
	if err != nil {
		return nil, err
	}
	current := int64(0)
	for i, r := range rows {
		start := b.start(times[i])
		if i > 0 && start > current && !b.ExcludeEmpty {
			empty := max((start-current)/b.size-1, 0)
			if empty+int64(len(out)) > maxWindows {
				return nil, fmt.Errorf("a sequence has %d empty windows; set excludeEmptyWindows, or take larger ones", empty)
			}
			out = append(out, make([][]Row, empty)...)
		}
		if i == 0 || start > current {
			current = start
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], b.within(r, current+b.offset%b.size))
	}
	return out, nil
}

func (w *OverlappingWindow) bind(in *Schema) (cutter, *Schema, error) {
	b, wider, err := w.prepare(in)
	if err != nil {
		return nil, nil, err
	}
	step, err := positiveSpan("windowSeparation", w.Separation, w.SeparationUnit)
	if err != nil {
		return nil, nil, err
	}
	return func(rows []Row) ([][]Row, error) { return b.overlapping(rows, step) }, wider, nil
}

// overlapping returns windows that begin every so often. The offset moves the times that determine the first and the
// last window, not the windows. A window has the steps from its start on, in order, until one is beyond its end. As in
// DataVec, the last windows have the steps of the window before them if all steps are before their start.
func (b *windowing) overlapping(rows []Row, every int64) (out [][]Row, err error) {
	times, err := b.times(rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	start := floorTo(times[0]+b.offset, every) + every - b.size
	last := floorTo(times[len(rows)-1]+b.offset, every)
	for from := 0; start <= last; start += every {
		to := from
		for to < len(rows) && times[to] < start+b.size {
			to++
		}
		var window []Row
		for _, r := range rows[from:to] {
			window = append(window, b.within(r, start))
		}
		switch {
		case window == nil && b.ExcludeEmpty: // skip to the window of the next step
			if n := (times[from] - start - b.size) / every; n > 0 {
				start += n * every
			}
		default:
			out = append(out, window)
		}
		if len(out) > maxWindows {
			return nil, fmt.Errorf("a sequence has more than %d windows; take larger ones, or ones that are further apart",
				maxWindows)
		}
		from = b.firstFrom(times, from, start+every)
	}
	return out, nil
}

// firstFrom returns the first step that is not before a time, if there is one.
func (b *windowing) firstFrom(times []int64, from int, t int64) int {
	for i := from; i < len(times); i++ {
		if times[i] >= t {
			return i
		}
	}
	return from
}
