package shortnet

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// unquoted matches words that need no quotes.
var unquoted = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// notWords have another meaning without quotes.
var notWords = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

// quote formats a string for YAML.
func quote(s string) string {
	if unquoted.MatchString(s) && !slices.Contains(notWords, strings.ToLower(s)) {
		return s
	}
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}

// flow writes a tree on one line: {name: value, …}.
func flow(b *strings.Builder, tree any) {
	switch v := tree.(type) {
	case dl4j.Object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quote(m.Name) + ": ")
			flow(b, m.Value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			flow(b, e)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(quote(v))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case dl4j.Number:
		b.WriteString(short(v))
	default:
		b.WriteString("null")
	}
}

// short formats a number like people do: 0.001 for 1.0E-3.
func short(n dl4j.Number) string {
	if _, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return string(n)
	}
	x, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return string(n)
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		s += ".0"
	}
	return s
}

// entry is a layer or vertex of a text.
type entry struct {
	vertex string // its name; empty for layers in a row
	of     any    // a name, or {name: settings}
	also   dl4j.Object
}

// text returns a network in the short form.
func text(top dl4j.Object, list string, entries []entry, rest dl4j.Object) string {
	var b strings.Builder
	members := func(o dl4j.Object) {
		for _, m := range o {
			b.WriteString(quote(m.Name) + ": ")
			flow(&b, m.Value)
			b.WriteByte('\n')
		}
	}
	members(top)
	b.WriteString(list + ":\n")
	for _, e := range entries {
		if list == verticesKey {
			b.WriteString("  " + quote(e.vertex) + ": ")
			o, ok := e.of.(dl4j.Object)
			if !ok {
				o = dl4j.Object{{Name: e.of.(string), Value: dl4j.Object{}}}
			}
			flow(&b, append(slices.Clone(o), e.also...))
			b.WriteByte('\n')
			continue
		}
		b.WriteString("  - ")
		indented(&b, e)
	}
	members(rest)
	return b.String()
}

// indented writes a layer of a list, one member per line.
func indented(b *strings.Builder, e entry) {
	o, ok := e.of.(dl4j.Object)
	if !ok && len(e.also) > 0 {
		o = dl4j.Object{{Name: e.of.(string), Value: dl4j.Object{}}}
	}
	if o == nil {
		flow(b, e.of)
		b.WriteByte('\n')
		return
	}
	for i, m := range append(slices.Clone(o), e.also...) {
		if i > 0 {
			b.WriteString("    ")
		}
		b.WriteString(quote(m.Name) + ": ")
		flow(b, m.Value)
		b.WriteByte('\n')
	}
}
