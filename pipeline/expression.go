package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

// expression is a Java regular expression to be found within texts.
type expression struct {
	re *regexp.Regexp
	// after matches one character and then the expression. It tells whether the expression matches right after that
	// character, with it as the context.
	after *regexp.Regexp
}

func newExpression(java string) (*expression, error) {
	text, err := goRegex(java)
	if err != nil {
		return nil, err
	}
	e := &expression{}
	if e.re, err = regexp.Compile(text); err == nil {
		e.after, err = regexp.Compile(`\A(?s:.)(?:` + text + `)`)
	}
	if err != nil {
		return nil, fmt.Errorf("regular expression %.100q: %w", java, err)
	}
	return e, nil
}

// matches returns all matches with their groups, as Java finds them. It differs from package regexp in empty matches:
// Java also finds one right after a match that is not empty.
func (e *expression) matches(s string) [][]int {
	found := e.re.FindAllStringSubmatchIndex(s, -1)
	var all [][]int // nil while it equals found
	for i, m := range found {
		if all != nil {
			all = append(all, m)
		}
		end := m[1]
		if m[0] == end || i+1 < len(found) && found[i+1][0] == end {
			continue
		}
		_, width := utf8.DecodeLastRuneInString(s[:end])
		empty := e.after.FindStringSubmatchIndex(s[end-width:])
		if empty == nil || empty[1] != width {
			continue
		}
		for k := range empty {
			if empty[k] >= 0 {
				empty[k] = end
			}
		}
		if all == nil {
			all = slices.Clone(found[:i+1])
		}
		all = append(all, empty)
	}
	if all == nil {
		return found
	}
	return all
}

// wholeMatch compiles a Java regular expression that has to match a whole text.
func wholeMatch(java string) (*regexp.Regexp, error) {
	text, err := goRegex(java)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`\A(?:` + text + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("regular expression %.100q: %w", java, err)
	}
	return re, nil
}
