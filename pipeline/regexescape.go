package pipeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escape translates a backslash and its operand, within a class or outside.
func (t *regexTranslator) escape(class bool) error {
	if t.i+1 == len(t.in) {
		return fmt.Errorf("there is nothing behind the last backslash")
	}
	c := t.in[t.i+1]
	if of, ok := namedClasses[c]; ok {
		t.i += 2
		if !class {
			of = "[" + of + "]"
		}
		t.out.WriteString(of)
		return nil
	}
	switch {
	case strings.IndexByte(`dDwWtnrfa`, c) >= 0, !class && strings.IndexByte(`bBAz`, c) >= 0:
		t.copy(2)
	case c == 'e':
		t.i += 2
		t.code(0x1b)
	case c == 'Q':
		t.quoted(class)
	case c == 'R' && !class:
		t.i += 2
		t.out.WriteString(`(?:\r\n|[` + vertical + `])`)
	case c == 'p' || c == 'P':
		return t.property(class)
	case c == 'x' || c == 'u' || c == '0' || c == 'c':
		return t.number()
	case c >= '1' && c <= '9' || c == 'k':
		return refused("a reference back to a group", "write the expression without it")
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return refused(`\`+string(c), "write the characters that it stands for")
	default:
		r, n := utf8.DecodeRuneInString(t.in[t.i+1:])
		t.i += 1 + n
		if r < utf8.RuneSelf {
			t.out.WriteByte('\\')
		}
		t.out.WriteString(t.in[t.i-n : t.i])
	}
	return nil
}

// namedClasses are the contents of Java's classes that Go does not have or defines differently.
var namedClasses = map[byte]string{
	's': space, 'S': `\x00-\x08\x0e-\x1f!-\x{10FFFF}`,
	'h': horizontal, 'H': `\x00-\x08\n-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{180d}\x{180f}-\x{1fff}\x{200b}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10FFFF}`,
	'v': vertical, 'V': `\x00-\t\x0e-\x{84}\x{86}-\x{2027}\x{202a}-\x{10FFFF}`,
}

// quoted translates the text between \Q and \E.
func (t *regexTranslator) quoted(class bool) {
	text, _, _ := strings.Cut(t.in[t.i+2:], `\E`)
	t.i = min(t.i+2+len(text)+2, len(t.in))
	if class {
		for _, r := range text {
			t.code(r)
		}
		return
	}
	t.out.WriteString(regexp.QuoteMeta(text))
}

// number translates a character written as a number.
func (t *regexTranslator) number() error {
	digits, base, n := "", 16, 0
	rest := t.in[t.i+2:]
	switch t.in[t.i+1] {
	case 'c':
		if rest == "" {
			return fmt.Errorf(`there is nothing behind \c`)
		}
		t.i += 3
		t.code(rune(rest[0] ^ 64))
		return nil
	case 'u':
		digits, n = rest[:min(4, len(rest))], 4
	case '0':
		for n < len(rest) && n < 3 && rest[n] >= '0' && rest[n] <= '7' && (n < 2 || rest[0] <= '3') {
			n++
		}
		digits, base = rest[:n], 8
	case 'x':
		digits, n = rest[:min(2, len(rest))], 2
		if strings.HasPrefix(rest, "{") {
			digits, _, _ = strings.Cut(rest[1:], "}")
			n = len(digits) + 2
		}
	}
	k, err := strconv.ParseUint(digits, base, 21)
	if err != nil || n > len(rest) || k > unicode.MaxRune {
		return fmt.Errorf("%q is not the number of a character", digits)
	}
	t.i += 2 + n
	r := rune(k)
	if utf16.IsSurrogate(r) {
		if !t.has(`\u`) || t.i+6 > len(t.in) {
			return fmt.Errorf(`half of a pair of \u is missing`)
		}
		low, err := strconv.ParseUint(t.in[t.i+2:t.i+6], 16, 16)
		if r = utf16.DecodeRune(r, rune(low)); err != nil || r == unicode.ReplacementChar {
			return fmt.Errorf(`half of a pair of \u is missing`)
		}
		t.i += 6
	}
	t.code(r)
	return nil
}

// posixClasses are Java's names of ASCII classes.
var posixClasses = map[string]string{
	"Lower": "lower", "Upper": "upper", "ASCII": "ascii", "Alpha": "alpha", "Digit": "digit", "Alnum": "alnum",
	"Punct": "punct", "Graph": "graph", "Print": "print", "Blank": "blank", "Cntrl": "cntrl", "XDigit": "xdigit",
	"Space": "space",
}

// property translates \p{…} and \P{…}: ASCII classes, and Unicode's categories and scripts.
func (t *regexTranslator) property(class bool) error {
	not := t.in[t.i+1] == 'P'
	rest := t.in[t.i+2:]
	if rest == "" {
		return fmt.Errorf(`there is no name behind \p`)
	}
	_, n := utf8.DecodeRuneInString(rest)
	name := rest[:n]
	if name == "{" {
		var closed bool
		if name, _, closed = strings.Cut(rest[1:], "}"); !closed {
			return fmt.Errorf(`the name behind \p is not closed; add a }`)
		}
		n = len(name) + 2
	}
	t.i += 2 + n
	if posix, ok := posixClasses[name]; ok {
		of := "[:" + map[bool]string{true: "^"}[not] + posix + ":]"
		if !class {
			of = "[" + of + "]"
		}
		t.out.WriteString(of)
		return nil
	}
	short := name
	for _, prefix := range []string{"Is", "script=", "sc=", "general_category=", "gc="} {
		short = strings.TrimPrefix(short, prefix)
	}
	if unicode.Categories[short] == nil && unicode.Scripts[short] == nil {
		return refused(fmt.Sprintf(`the class \p{%.40s}`, name),
			"write its characters, a category like Lu or a script like Greek")
	}
	t.out.WriteString(map[bool]string{true: `\P{`, false: `\p{`}[not] + short + "}")
	return nil
}
