package progress

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Row is a line under the bar: a name, texts in order of importance, and a curve in the remaining room.
type Row struct {
	Name  string
	Texts []string
	Mark  string // a highlighted text after the first one
	Brief string // takes the place of Mark where there is no room for it
	Curve *Curve
}

// The assumed size of a terminal whose size is not known.
const usualColumns, usualRows = 80, 24

// The escape sequences of a view. None of them changes a state of the terminal that must be restored.
const (
	toLineEnd   = "\x1b[K"
	toScreenEnd = "\x1b[J"
	bold        = "\x1b[1m"
	green       = "\x1b[32m"
	plain       = "\x1b[0m"
)

// line is a line of a terminal: its text with escape sequences, and its width in columns.
type line struct {
	text    strings.Builder
	columns int
}

func (l *line) add(style, text string) {
	l.columns += utf8.RuneCountInString(text)
	if style == "" || text == "" {
		l.text.WriteString(text)
		return
	}
	l.text.WriteString(style + text + plain)
}

func (b *Bar) draw(now time.Time) {
	if b.o.Size == nil {
		fmt.Fprintln(b.w, texts(b.parts(now)))
		return
	}
	columns, rows := b.size()
	lines := b.lines(now, columns-1)
	if most := max(1, rows-1); len(lines) > most { // the cursor is below them
		lines = lines[:most]
	}
	var s strings.Builder
	s.WriteString(b.back())
	b.drawn = b.drawn[:0]
	for _, l := range lines {
		s.WriteString(l.text.String() + toLineEnd + "\n")
		b.drawn = append(b.drawn, l.columns)
	}
	s.WriteString(toScreenEnd)
	fmt.Fprint(b.w, s.String())
}

func (b *Bar) size() (columns, rows int) {
	columns, rows = b.o.Size()
	if columns <= 0 || rows <= 0 {
		return usualColumns, usualRows
	}
	return columns, rows
}

// back moves the cursor to the beginning of the lines. A terminal that has become narrower has wrapped them.
func (b *Bar) back() string {
	columns, _ := b.size()
	up := 0
	for _, n := range b.drawn {
		up += max(1, (n+columns-1)/columns)
	}
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}

// clear removes the lines from a terminal.
func (b *Bar) clear() {
	if len(b.drawn) > 0 {
		fmt.Fprint(b.w, b.back()+toScreenEnd)
		b.drawn = b.drawn[:0]
	}
}

// lines returns the lines that a terminal shows.
func (b *Bar) lines(now time.Time, room int) []*line {
	var below []Row
	if b.below != nil {
		below = b.below()
	}
	if len(below) > 0 {
		defer func(note func() string) { b.note = note }(b.note)
		b.note = nil
	}
	all := []*line{b.barLine(b.parts(now), room)}
	wide := 0
	for _, r := range below {
		wide = max(wide, utf8.RuneCountInString(r.Name))
	}
	for _, r := range below {
		all = append(all, r.line(wide, room, b.paint))
	}
	return all
}

func (b *Bar) paint(style string) string {
	if b.o.Color {
		return style
	}
	return ""
}

// line returns the row in at most room columns, with names padded to the widest name.
func (r Row) line(wide, room int, paint func(string) string) *line {
	l := &line{}
	name := r.Name + strings.Repeat(" ", wide-utf8.RuneCountInString(r.Name))
	l.add(paint(bold), cut(name, room))
	for i, text := range r.Texts {
		fits := l.columns+2+utf8.RuneCountInString(text) <= room
		if i > 0 && !fits {
			break
		}
		l.add("", cut("  "+text, room-l.columns))
		for _, mark := range []string{r.Mark, r.Brief} {
			if i == 0 && mark != "" && l.columns+2+utf8.RuneCountInString(mark) <= room {
				l.add(paint(green), "  "+mark)
				break
			}
		}
	}
	if cells := min(curveCells, room-l.columns-2); r.Curve != nil && cells >= leastCells {
		l.add("", "  "+r.Curve.Text(cells))
	}
	return l
}

// cut returns the beginning of a text that fits.
func cut(text string, room int) string {
	if all := []rune(text); len(all) > room {
		return string(all[:max(0, room)])
	}
	return text
}

// The figures take precedence over the bar itself; a bar of only a few cells is useless.
const mostCells, leastCells, curveCells = 20, 5, 40

// part is a figure in the bar's line. If there is no room, those of the highest rank are left out.
type part struct {
	text string
	rank int
}

const (
	rankLabel = iota
	rankShare
	rankLeft
	rankTasks
	rankRate
	rankNote
)

// parts returns the figures.
func (b *Bar) parts(now time.Time) []part {
	all := []part{{b.label, rankLabel}}
	if b.done == 0 && b.tasks != "" {
		return append(all, part{"  " + b.tasks, rankLabel})
	}
	rate := b.rate(now)
	if b.total > 0 {
		all = append(all, part{fmt.Sprintf(" %3.0f%%", b.share()*100), rankShare})
	} else {
		all = append(all, part{" " + Count(b.done) + " examples", rankShare})
	}
	all = append(all, part{"  " + Count(int64(rate)) + " examples/s", rankRate})
	if b.total > 0 && rate > 0 {
		all = append(all, part{"  ETA " + Duration(b.left(rate)), rankLeft})
	}
	if b.note != nil {
		if note := b.note(); note != "" {
			all = append(all, part{"  " + note, rankNote})
		}
	}
	if b.tasks != "" {
		all = append(all, part{"  " + b.tasks, rankTasks})
	}
	return all
}

// share returns the part of the work that is done, from 0 to 1.
func (b *Bar) share() float64 { return min(1, float64(b.done)/float64(b.total)) }

func texts(parts []part) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.text)
	}
	return s.String()
}

// barLine returns the line of a bar in at most room columns.
func (b *Bar) barLine(parts []part, room int) *line {
	wide := func() int { return utf8.RuneCountInString(texts(parts)) }
	for rank := rankNote; rank > rankLabel && wide() > room; rank-- {
		kept := parts[:0:0]
		for _, p := range parts {
			if p.rank != rank {
				kept = append(kept, p)
			}
		}
		parts = kept
	}
	l := &line{}
	l.add(b.paint(bold), cut(parts[0].text, room))
	cells := min(mostCells, room-wide()-len(" []"))
	if b.total > 0 && len(parts) > 1 && parts[1].rank == rankShare && cells >= leastCells {
		full := int(b.share() * float64(cells))
		l.add("", " [")
		l.add(b.paint(green), strings.Repeat("=", full))
		l.add("", strings.Repeat(" ", cells-full)+"]")
	}
	l.add("", cut(texts(parts[1:]), room-l.columns))
	return l
}
