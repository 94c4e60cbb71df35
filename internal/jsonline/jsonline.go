// Package jsonline writes objects as lines of JSON, and keeps only a little of a line in memory.
package jsonline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// Document is JSON that is too large for memory: it is written into a line while it is produced.
type Document func(io.Writer) error

// Write writes an object as a json.Encoder would. Only a little of its documents is in memory at any time.
func Write(to io.Writer, object map[string]any) error {
	w := bufio.NewWriterSize(to, 64<<10)
	if err := writeValue(w, object); err != nil {
		return err
	}
	w.WriteByte('\n')
	return w.Flush()
}

func writeValue(w *bufio.Writer, v any) error {
	switch v := v.(type) {
	case map[string]any:
		return writeObject(w, v)
	case map[string]map[string]any:
		return writeObject(w, v)
	case Document:
		return v(&compactor{to: w})
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

func writeObject[V any](w *bufio.Writer, members map[string]V) error {
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w.WriteByte(separator)
		if err := writeValue(w, name); err != nil {
			return err
		}
		w.WriteByte(':')
		if err := writeValue(w, members[name]); err != nil {
			return err
		}
		separator = ','
	}
	if separator == '{' {
		w.WriteByte('{')
	}
	return w.WriteByte('}')
}

// compactor removes the blanks between the parts of a JSON document, and escapes the characters that mean something in
// HTML or end lines in JavaScript, as a json.Encoder does with a json.RawMessage. Each string must come as a whole.
type compactor struct {
	to      *bufio.Writer
	text    bool // in a string
	escaped bool // after a backslash
}

func (c *compactor) Write(b []byte) (int, error) {
	from := 0 // the start of bytes that are written unchanged
	skip := func(i, n int) {
		c.to.Write(b[from:i])
		from = i + n
	}
	for i, x := range b {
		switch {
		case !c.text:
			if x == ' ' || x == '\n' {
				skip(i, 1)
			}
			c.text = x == '"'
		case c.escaped:
			c.escaped = false
		case x == '\\':
			c.escaped = true
		case x == '"':
			c.text = false
		case x == '<' || x == '>' || x == '&':
			skip(i, 1)
			fmt.Fprintf(c.to, `\u%04x`, x)
		case x == 0xe2 && i+2 < len(b) && b[i+1] == 0x80 && b[i+2]&^1 == 0xa8:
			skip(i, 3)
			fmt.Fprintf(c.to, `\u202%x`, b[i+2]&15)
		}
	}
	if _, err := c.to.Write(b[from:]); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Value turns the numbers that JSON does not have, NaN and the infinities, into strings.
func Value(x any) any {
	switch x := x.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case []float64:
		list := make([]any, len(x))
		for i, v := range x {
			list[i] = Value(v)
		}
		return list
	}
	return x
}
