package pipeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// goRegex translates a Java regular expression to one of package regexp with the same meaning. It refuses, by name,
// features that Go does not have: lookaround, possessive quantifiers, atomic groups, back references, and unions and
// intersections of character classes.
//
// Some differences remain. When ignoring case, Go folds all letters, Java only those of ASCII. Java's $ also matches
// before a newline at the end. With the flag m, Java has other line ends than \n. Java before 19 counts non-ASCII
// letters as letters in \b.
func goRegex(java string) (string, error) {
	if s := regexSpecials(java); !s {
		return java, nil
	}
	t := &regexTranslator{in: java, dotAll: []bool{false}}
	for t.i < len(t.in) {
		if err := t.next(); err != nil {
			return "", fmt.Errorf("regular expression %.100q at byte %d: %w", java, t.i, err)
		}
	}
	return t.out.String(), nil
}

// regexSpecials reports whether a text has a special character of regular expressions.
func regexSpecials(s string) bool { return strings.ContainsAny(s, `\.+*?()|[]{}^$`) }

type regexTranslator struct {
	in     string
	i      int
	out    strings.Builder
	dotAll []bool // for each open group: whether a point matches newlines
}

func refused(what, instead string) error {
	return fmt.Errorf("%s cannot be done here; %s", what, instead)
}

// lineEnds, horizontal and vertical are classes for which Go has no names; space is Java's \s.
const (
	lineEnds   = `\n\r\x{85}\x{2028}\x{2029}`
	horizontal = ` \t\x{A0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`
	vertical   = `\n\x0b\f\r\x{85}\x{2028}\x{2029}`
	space      = `\t\n\x0b\f\r `
)

// next translates the next piece.
func (t *regexTranslator) next() error {
	switch c := t.in[t.i]; c {
	case '\\':
		return t.escape(false)
	case '[':
		return t.class()
	case '(':
		return t.group()
	case ')':
		if len(t.dotAll) > 1 {
			t.dotAll = t.dotAll[:len(t.dotAll)-1]
		}
		t.copy(1)
	case '.':
		t.i++
		if t.dotAll[len(t.dotAll)-1] {
			t.out.WriteString(`(?s:.)`)
		} else {
			t.out.WriteString(`[^` + lineEnds + `]`)
		}
	case '*', '+', '?':
		t.copy(1)
		return t.suffix()
	case '{':
		end := strings.IndexByte(t.in[t.i:], '}')
		if end < 0 || !bounds.MatchString(t.in[t.i:t.i+end+1]) {
			return refused("a { that is not the number of repetitions", `write \{`)
		}
		t.copy(end + 1)
		return t.suffix()
	default:
		_, n := utf8.DecodeRuneInString(t.in[t.i:])
		t.copy(n)
	}
	return nil
}

var bounds = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}$`)

func (t *regexTranslator) copy(n int) {
	t.out.WriteString(t.in[t.i : t.i+n])
	t.i += n
}

func (t *regexTranslator) has(prefix string) bool { return strings.HasPrefix(t.in[t.i:], prefix) }

// suffix translates the character after a quantifier.
func (t *regexTranslator) suffix() error {
	if t.has("+") {
		return refused("a possessive quantifier", "leave the second + out if that means the same")
	}
	if t.has("?") {
		t.copy(1)
	}
	return nil
}

// group translates the beginning of a group, and flags.
func (t *regexTranslator) group() error {
	dotAll := t.dotAll[len(t.dotAll)-1]
	switch {
	case !t.has("(?"):
		t.copy(1)
	case t.has("(?:"):
		t.copy(3)
	case t.has("(?="), t.has("(?!"), t.has("(?<="), t.has("(?<!"):
		return refused("looking ahead or behind", "write the expression without it")
	case t.has("(?>"):
		return refused("an atomic group", "write (?: if that means the same")
	case t.has("(?<"):
		t.copy(3)
	default:
		return t.flags()
	}
	t.dotAll = append(t.dotAll, dotAll)
	return nil
}

// flags translates (?i) and (?i:. The flag s is handled here.
func (t *regexTranslator) flags() error {
	rest := t.in[t.i+2:]
	end := strings.IndexAny(rest, ":)")
	if end < 0 {
		return fmt.Errorf("the group is not closed")
	}
	dotAll, on := t.dotAll[len(t.dotAll)-1], true
	set, cleared := "", ""
	for _, f := range rest[:end] {
		switch f {
		case '-':
			on = false
		case 's':
			dotAll = on
		case 'i', 'm':
			if on {
				set += string(f)
			} else {
				cleared += string(f)
			}
		case 'u': // Go always folds the letters of all scripts
		default:
			return refused(fmt.Sprintf("the flag %q", string(f)), "there are i, m, s and u")
		}
	}
	if cleared != "" {
		cleared = "-" + cleared
	}
	t.i += 2 + end + 1
	if rest[end] == ':' {
		t.dotAll = append(t.dotAll, dotAll)
		t.out.WriteString("(?" + set + cleared + ":")
		return nil
	}
	t.dotAll[len(t.dotAll)-1] = dotAll
	if set+cleared != "" {
		t.out.WriteString("(?" + set + cleared + ")")
	}
	return nil
}

// class translates a character class.
func (t *regexTranslator) class() error {
	t.copy(1)
	if t.has("^") {
		t.copy(1)
	}
	for first := true; t.i < len(t.in); first = false {
		switch c := t.in[t.i]; {
		case c == ']' && !first:
			t.copy(1)
			return nil
		case c == '[':
			return refused("a class within a class", `write its characters in one class, or \[ for the character`)
		case t.has("&&"):
			return refused("an intersection of classes", `write the class of what they share, or \& for the character`)
		case c == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case c == ']' || c == '^':
			t.out.WriteByte('\\')
			t.copy(1)
		default:
			_, n := utf8.DecodeRuneInString(t.in[t.i:])
			t.copy(n)
		}
	}
	return fmt.Errorf("the class is not closed; add a ]")
}

// code writes a character by its code.
func (t *regexTranslator) code(r rune) {
	t.out.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}
