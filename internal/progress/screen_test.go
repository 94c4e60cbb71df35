package progress

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// screen is a terminal. It wraps long lines, including existing ones when it becomes narrower.
type screen struct {
	columns, rows int
	lines         [][]rune // as they were written
	row           int      // of the cursor, among the wrapped lines
	colors        int      // number of colour sequences received
}

var sequence = regexp.MustCompile("^\x1b\\[([0-9]*)([A-Za-z])")

// wrapped returns the lines as they are shown, and the index of the written line that each belongs to.
func (s *screen) wrapped() (shown []string, of []int) {
	for i, l := range s.lines {
		for {
			n := min(len(l), s.columns)
			shown, of = append(shown, string(l[:n])), append(of, i)
			if l = l[n:]; len(l) == 0 {
				break
			}
		}
	}
	return shown, of
}

// resize wraps the lines again. The cursor stays below the last line.
func (s *screen) resize(columns int) {
	s.columns = columns
	shown, _ := s.wrapped()
	s.row = len(shown) - 1
}

// Write shows text from the cursor on. Tests write from the beginning of a line.
func (s *screen) Write(b []byte) (int, error) {
	if len(s.lines) == 0 {
		s.lines = [][]rune{nil}
	}
	column := 0
	for text := string(b); text != ""; {
		if m := sequence.FindStringSubmatch(text); m != nil {
			s.control(m[1], m[2], column)
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		_, of := s.wrapped()
		line := of[s.row]
		switch r {
		case '\r':
			column = 0
		case '\n':
			if column = 0; line == len(s.lines)-1 {
				s.lines = append(s.lines, nil)
			}
			s.row++
		default:
			l := s.lines[line]
			if column < len(l) {
				l[column] = r
			} else {
				s.lines[line] = append(l, r)
			}
			column++
		}
	}
	return len(b), nil
}

func (s *screen) control(argument, name string, column int) {
	_, of := s.wrapped()
	line := of[s.row]
	switch name {
	case "A":
		n, _ := strconv.Atoi(argument)
		if s.row -= n; s.row < 0 {
			panic(fmt.Sprintf("the cursor goes %d rows above the screen", -s.row))
		}
	case "K":
		s.lines[line] = s.lines[line][:min(column, len(s.lines[line]))]
	case "J":
		s.lines = append(s.lines[:line], s.lines[line][:min(column, len(s.lines[line]))])
	case "m":
		s.colors++
	default:
		panic("an unknown sequence " + name)
	}
}

// text returns all that is shown, with the cursor as _.
func (s *screen) text() string {
	shown, _ := s.wrapped()
	for i, l := range shown {
		shown[i] = strings.TrimRight(l, " ")
	}
	shown[s.row] += "_"
	return strings.Join(shown, "\n")
}
