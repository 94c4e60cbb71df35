package pipeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// replacer replaces like Java's String.replaceAll.
type replacer struct {
	*expression
	parts []part
}

// part is a piece of a replacement: a text, or the text of a group.
type part struct {
	text  string
	group int // 0 is the whole match
	is    bool
}

func newReplacer(java, replacement string) (*replacer, error) {
	e, err := newExpression(java)
	if err != nil {
		return nil, err
	}
	parts, err := replacementParts(replacement, e.re)
	return &replacer{e, parts}, err
}

// replacementParts parses a replacement in Java's syntax: $1 and ${name} are groups, and a backslash quotes the next
// character. Further digits belong to the number as long as there is such a group.
func replacementParts(s string, re *regexp.Regexp) (parts []part, err error) {
	var text strings.Builder
	bad := func(what string) ([]part, error) {
		return nil, fmt.Errorf("replacement %.100q: %s; write \\$ for a dollar sign", s, what)
	}
	group := func(n int) {
		if text.Len() > 0 {
			parts = append(parts, part{text: text.String()})
			text.Reset()
		}
		parts = append(parts, part{group: n, is: true})
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 == len(s):
			return bad("a backslash at the end")
		case s[i] == '\\':
			i++
			text.WriteByte(s[i])
		case s[i] != '$':
			text.WriteByte(s[i])
		case strings.HasPrefix(s[i:], "${"):
			name, _, closed := strings.Cut(s[i+2:], "}")
			n := re.SubexpIndex(name)
			if !closed || n < 0 {
				return bad("there is no group " + strconv.Quote(name))
			}
			group(n)
			i += len(name) + 2
		default:
			end := i + 1
			n := -1
			for ; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
				next := max(n, 0)*10 + int(s[end]-'0')
				if n >= 0 && next > re.NumSubexp() {
					break
				}
				n = next
			}
			if n < 0 || n > re.NumSubexp() {
				return bad("a $ without the number of a group")
			}
			group(n)
			i = end - 1
		}
	}
	if text.Len() > 0 {
		parts = append(parts, part{text: text.String()})
	}
	return parts, nil
}

func (r *replacer) replace(s string) string {
	matches := r.matches(s)
	if len(matches) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, m := range matches {
		b.WriteString(s[done:m[0]])
		r.write(&b, s, m)
		done = m[1]
	}
	b.WriteString(s[done:])
	return b.String()
}

// write appends the replacement of a match. A group that did not match is empty.
func (r *replacer) write(b *strings.Builder, s string, m []int) {
	for _, p := range r.parts {
		switch {
		case !p.is:
			b.WriteString(p.text)
		case m[2*p.group] >= 0:
			b.WriteString(s[m[2*p.group]:m[2*p.group+1]])
		}
	}
}
