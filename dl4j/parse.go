package dl4j

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth  = 200     // of nested arrays and objects; a network's configuration has about ten
	maxValues = 500_000 // per document: this limits the tree's memory to some 50 MiB beside the text
	valueSize = 3       // per value, in Deeplearning4j's lists of single digits, such as an evaluation's counts
)

// Parse reads a JSON document as a tree, from which [Format] makes the text again. The strings and numbers share the
// text's memory. A tree consists of [Object], []any, string, [Number], bool and nil.
func Parse(text string) (any, error) { return parse(text, maxValues) }

// parseLong is Parse of a text that the user has in full length, not compressed: it may have as many values as fit in
// it.
func parseLong(text string) (any, error) { return parse(text, max(maxValues, len(text)/valueSize)) }

func parse(text string, most int) (any, error) {
	p := parser{text: strings.TrimPrefix(text, "\ufeff"), most: most}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.text) {
		return nil, p.errorf("there is more after the end of the JSON document")
	}
	return v, nil
}

type parser struct {
	text   string
	at     int
	values int
	most   int // number of values
}

func (p *parser) errorf(format string, args ...any) error {
	return formatErrorf(int64(p.at), "not valid JSON: "+format, args...)
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte that is not white space; 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) (any, error) {
	if p.values++; p.values > p.most {
		return nil, p.errorf("the document has more than %d values", p.most)
	}
	if depth > maxDepth {
		return nil, p.errorf("the document is nested more than %d deep", maxDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 0:
		return nil, p.errorf("it ends too early")
	}
	for _, w := range []struct {
		word  string
		value any
	}{{"null", nil}, {"true", true}, {"false", false}} {
		if strings.HasPrefix(p.text[p.at:], w.word) {
			p.at += len(w.word)
			return w.value, nil
		}
	}
	return nil, p.errorf("a value should be here")
}

func (p *parser) object(depth int) (any, error) {
	p.at++
	o := Object{}
	var seen map[string]bool // the names in large objects
	for p.peek() != '}' {
		if len(o) > 0 {
			if p.peek() != ',' {
				return nil, p.errorf("a comma or a closing brace should be here")
			}
			p.at++
		}
		if p.peek() != '"' {
			return nil, p.errorf("a member's name should be here")
		}
		start := p.at
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		if len(o) == 16 {
			seen = map[string]bool{}
			for _, m := range o {
				seen[m.Name] = true
			}
		}
		twice := seen[name]
		if seen != nil {
			seen[name] = true
		} else {
			_, twice = o.Get(name)
		}
		if twice {
			p.at = start
			return nil, p.errorf("the member %q is there twice", name)
		}
		if p.peek() != ':' {
			return nil, p.errorf("a colon should be here")
		}
		p.at++
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o = append(o, Member{name, v})
	}
	p.at++
	return o, nil
}

func (p *parser) array(depth int) (any, error) {
	p.at++
	a := []any{}
	for p.peek() != ']' {
		if len(a) > 0 {
			if p.peek() != ',' {
				return nil, p.errorf("a comma or a closing bracket should be here")
			}
			p.at++
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	p.at++
	return a, nil
}

func (p *parser) number() (any, error) {
	start := p.at
	digits := func() bool {
		from := p.at
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		return p.at > from
	}
	next := func(set string) bool {
		if p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
			p.at++
			return true
		}
		return false
	}
	next("-")
	if !next("0") && !digits() {
		return nil, p.errorf("a digit should be here")
	}
	if next(".") && !digits() {
		return nil, p.errorf("a digit should be here")
	}
	if next("eE") {
		next("+-")
		if !digits() {
			return nil, p.errorf("a digit should be here")
		}
	}
	return Number(p.text[start:p.at]), nil
}

func (p *parser) str() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			if !utf8.ValidString(s) {
				p.at = start
				return "", p.errorf("the string is not UTF-8")
			}
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.errorf("a control character stands in a string")
		}
		p.at++
	}
	return "", p.errorf("a string does not end")
}

// escaped reads the rest of a string, from its first backslash on.
func (p *parser) escaped(start int) (string, error) {
	b := []byte(p.text[start:p.at])
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			if !utf8.Valid(b) {
				p.at = start
				return "", p.errorf("the string is not UTF-8")
			}
			return string(b), nil
		case c < 0x20:
			return "", p.errorf("a control character stands in a string")
		case c != '\\':
			b = append(b, c)
			continue
		}
		if p.at == len(p.text) {
			break
		}
		c = p.text[p.at]
		p.at++
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			b = append(b, "\"\\/\b\f\n\r\t"[i])
			continue
		}
		if c != 'u' {
			return "", p.errorf("an unknown escape stands in a string")
		}
		r, err := p.hex4()
		if err != nil {
			return "", err
		}
		if utf16.IsSurrogate(r) && strings.HasPrefix(p.text[p.at:], `\u`) {
			p.at += 2
			low, err := p.hex4()
			if err != nil {
				return "", err
			}
			r = utf16.DecodeRune(r, low)
		}
		b = utf8.AppendRune(b, r)
	}
	return "", p.errorf("a string does not end")
}

func (p *parser) hex4() (rune, error) {
	if len(p.text)-p.at < 4 {
		return 0, p.errorf("four hexadecimal digits should be here")
	}
	var r rune
	for _, c := range []byte(p.text[p.at : p.at+4]) {
		i := strings.IndexByte("0123456789abcdefABCDEF", c)
		if i < 0 {
			return 0, p.errorf("four hexadecimal digits should be here")
		}
		if i > 15 {
			i -= 6
		}
		r = r<<4 | rune(i)
	}
	p.at += 4
	return r, nil
}
