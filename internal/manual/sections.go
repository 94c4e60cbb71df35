package manual

import (
	"fmt"
	"strings"
)

// Section is a heading of help texts, and the flags below it.
type Section struct {
	Title     string
	Elsewhere string   // the title for all commands but Here; empty: Title
	Here      string   // the command that has the title
	Flags     []string // their names, without dashes
	Rare      []string // more of them, which only --help-all shows
	ShownBy   []string // commands whose --help also shows the rare ones
}

// Sections reads headings and flags from lines of text. A line without an indent is a heading, and the next ones are
// its flags:
//
//	Training (train), How it runs
//	  epochs batch
//	  rare: iterations
//	  shown by: tune
//
// The heading after the comma is for commands other than the one in parentheses. Lines that begin with # are comments.
func Sections(text string) ([]Section, error) {
	var all []Section
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fields, indented := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !indented:
			all = append(all, heading(line))
		case len(all) == 0:
			return nil, fmt.Errorf("line %d: flags without a heading", n+1)
		default:
			all[len(all)-1].add(fields)
		}
	}
	return all, nil
}

// heading reads a heading.
func heading(line string) (s Section) {
	s.Title = line
	if title, rest, both := strings.Cut(line, " ("); both {
		s.Title = title
		s.Here, s.Elsewhere, _ = strings.Cut(rest, "), ")
	}
	return s
}

// add adds a line of flags.
func (s *Section) add(line string) {
	to := &s.Flags
	if names, rare := strings.CutPrefix(line, "rare: "); rare {
		to, line = &s.Rare, names
	} else if names, by := strings.CutPrefix(line, "shown by: "); by {
		to, line = &s.ShownBy, names
	}
	*to = append(*to, strings.Fields(line)...)
}
