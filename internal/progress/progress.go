// Package progress shows the progress of long work: a few lines that redraw themselves on a terminal, plain lines
// elsewhere.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Options say where and how a Bar is shown.
type Options struct {
	// Size returns the current columns and rows of the terminal; 0 if they are not known. It is nil if the writer is
	// no terminal and gets plain lines.
	Size func() (columns, rows int)
	// Color: the terminal shows colours.
	Color bool
	// Every is the minimum time between two redraws, or between two plain lines. 0 means 100 ms and 5 s.
	Every time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Bar is the progress of one piece of work, counted in examples. Its methods may be called from any goroutine; a nil
// Bar shows nothing.
type Bar struct {
	mu    sync.Mutex
	w     io.Writer
	o     Options
	label string
	note  func() string // nil: none
	tasks string
	done  int64
	total int64
	start time.Time
	shown time.Time
	added time.Time // when something was last counted
	below func() []Row
	drawn []int // the columns of the lines on the terminal
}

// New starts a bar. total is the number of examples in all, 0 if it is not known.
func New(w io.Writer, label string, total int64, o Options) *Bar {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every == 0 {
		o.Every = 5 * time.Second
		if o.Size != nil {
			o.Every = 100 * time.Millisecond
		}
	}
	now := o.Now()
	return &Bar{w: w, o: o, label: label, total: total, start: now, shown: now, added: now}
}

// Add counts n more examples; note is shown after the figures ("loss 0.4321").
func (b *Bar) Add(n int64, note string) { b.AddNoted(n, func() string { return note }) }

// AddNoted is Add for a note that takes time to write: note is only called when the bar is drawn, by any goroutine.
func (b *Bar) AddNoted(n int64, note func() string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	b.note, b.tasks = note, ""
	now := b.o.Now()
	b.added = now
	if now.Sub(b.shown) < b.o.Every {
		return
	}
	b.shown = now
	b.draw(now)
}

// quiet is the time without counting after which tasks are shown.
const quiet = 2 * time.Second

// Tasks tells the bar how many of the running job's tasks are done, for work that is not counted while it goes on. It
// reports whether that was shown.
func (b *Bar) Tasks(done, total int) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return total > 0 && b.meanwhile(fmt.Sprintf("%s of %s tasks", Count(int64(done)), Count(int64(total))))
}

// Sent tells the bar, like Tasks, how many of all bytes have been sent to a cluster.
func (b *Bar) Sent(sent, all int64) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.meanwhile(fmt.Sprintf("%s of %s sent", Bytes(sent), Bytes(all)))
}

func (b *Bar) meanwhile(text string) bool {
	now := b.o.Now()
	if now.Sub(b.added) < quiet {
		return false
	}
	b.tasks = text
	if now.Sub(b.shown) < b.o.Every {
		return false
	}
	b.shown = now
	b.draw(now)
	return true
}

// Below makes a terminal show rows under the bar, instead of the note. rows is called for every drawing.
func (b *Bar) Below(rows func() []Row) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.below = rows
}

// Above calls print, which prints lines, so that they appear above the bar.
func (b *Bar) Above(print func()) {
	if b == nil {
		print()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	shown := len(b.drawn) > 0
	b.clear()
	print()
	if shown {
		b.draw(b.o.Now())
	}
}

// Refresh redraws a terminal's lines, with the current remaining time and terminal size.
func (b *Bar) Refresh() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.o.Now(); len(b.drawn) > 0 && now.Sub(b.shown) >= b.o.Every {
		b.shown = now
		b.draw(now)
	}
}

// Clear removes the bar from a terminal. The next Add draws it again.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// Done returns the number of examples so far.
func (b *Bar) Done() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done
}

// Label changes the text before the figures.
func (b *Bar) Label(label string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.label = label
}

// Left returns the time that the rest takes at the rate so far; 0 if it is not known.
func (b *Bar) Left() time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left(b.rate(b.o.Now()))
}

func (b *Bar) left(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(max(0, float64(b.total-b.done)) / rate * float64(time.Second))
}

// Rate returns the examples per second since the start.
func (b *Bar) Rate() float64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rate(b.o.Now())
}

func (b *Bar) rate(now time.Time) float64 {
	s := now.Sub(b.start).Seconds()
	if s <= 0 {
		return 0
	}
	return float64(b.done) / s
}
