// Package progress shows how far long work has come: one line that redraws itself on a terminal, plain lines elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Options say where and how a Bar is shown.
type Options struct {
	// Terminal: the writer is a terminal of Width columns, on which a line can be redrawn.
	Terminal bool
	Width    int
	// Every is the least time between two redraws, or between two plain lines. 0 means 100 ms and 5 s.
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
	note  string
	tasks string
	done  int64
	total int64
	start time.Time
	shown time.Time
	added time.Time // when something was counted last
	drawn bool
}

// New starts a bar. total is the number of examples in all, 0 if it is not known.
func New(w io.Writer, label string, total int64, o Options) *Bar {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every == 0 {
		o.Every = 5 * time.Second
		if o.Terminal {
			o.Every = 100 * time.Millisecond
		}
	}
	if o.Width <= 0 {
		o.Width = 80
	}
	now := o.Now()
	return &Bar{w: w, o: o, label: label, total: total, start: now, shown: now, added: now}
}

// Add counts n more examples; note is shown behind the figures ("score 0.4321").
func (b *Bar) Add(n int64, note string) {
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

// quiet is how long nothing may be counted until tasks are shown.
const quiet = 2 * time.Second

// Tasks tells how many of the tasks that are under way are done, for work that is not counted while it goes on. It says
// whether that was shown.
func (b *Bar) Tasks(done, total int) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return total > 0 && b.meanwhile(fmt.Sprintf("%s of %s tasks", Count(int64(done)), Count(int64(total))))
}

// Sent tells, like Tasks, how many bytes of all have gone to a cluster.
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

// Clear removes the bar from a terminal, so that other lines can be printed. The next Add draws it again.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.o.Terminal && b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

// Done is the number of examples so far.
func (b *Bar) Done() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done
}

// Label changes what stands before the figures.
func (b *Bar) Label(label string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.label = label
}

// Left is the time that the rest takes at the rate so far; 0 where it is not known.
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

// Rate is the examples a second since the start.
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

func (b *Bar) draw(now time.Time) {
	if !b.o.Terminal {
		fmt.Fprintln(b.w, b.line(now, 0))
		return
	}
	room := b.o.Width - 1
	bare := utf8.RuneCountInString(b.line(now, 0))
	line := b.line(now, max(0, min(mostCells, room-bare-len(" []"))))
	if utf8.RuneCountInString(line) > room {
		line = string([]rune(line)[:room])
	}
	fmt.Fprint(b.w, "\r"+line+"\x1b[K")
	b.drawn = true
}

// The bar itself gives way to the figures; one of a few cells says nothing.
const mostCells, leastCells = 20, 5

// line is the figures, with a bar of so many cells.
func (b *Bar) line(now time.Time, cells int) string {
	var s strings.Builder
	s.WriteString(b.label)
	if b.done == 0 && b.tasks != "" {
		return s.String() + "  " + b.tasks
	}
	rate := b.rate(now)
	if b.total > 0 {
		part := min(1, float64(b.done)/float64(b.total))
		if cells >= leastCells {
			full := int(part * float64(cells))
			s.WriteString(" [" + strings.Repeat("=", full) + strings.Repeat(" ", cells-full) + "]")
		}
		fmt.Fprintf(&s, " %3.0f%%", part*100)
	} else {
		fmt.Fprintf(&s, " %s examples", Count(b.done))
	}
	fmt.Fprintf(&s, "  %s examples/s", Count(int64(rate)))
	if b.total > 0 && rate > 0 {
		s.WriteString("  ETA " + Duration(b.left(rate)))
	}
	for _, text := range []string{b.note, b.tasks} {
		if text != "" {
			s.WriteString("  " + text)
		}
	}
	return s.String()
}

// Count writes n with its thousands apart: 1,234,567.
func Count(n int64) string {
	s := fmt.Sprint(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural writes how many of a thing there are: 1 epoch, 2 epochs, 1,000 batches.
func Plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ss"), strings.HasSuffix(what, "ch") && !strings.HasSuffix(what, "epoch"):
		what += "es"
	default:
		what += "s"
	}
	return Count(int64(n)) + " " + what
}

// Bytes writes a size: 1.6 MB.
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, i := float64(n), 0
	for x >= 1000 && i < len(units)-1 {
		x /= 1000
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// Duration writes a time span: 0:07, 12:30, 1:02:03.
func Duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
