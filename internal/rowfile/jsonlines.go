package rowfile

import (
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/dl4go/dl4go/pipeline"
)

// jsonLinesFormat is a line of JSON for each row: an object with the columns' names, or an array in the schema's
// order. A sequence is one line: an array of such rows. NaN and the infinities are the texts "NaN", "Infinity" and
// "-Infinity", an array is {"shape": […], "values": […]}, bytes are a text in base64.
var jsonLinesFormat = Format{Name: "jsonl", Endings: []string{".jsonl", ".ndjson"}, Arrays: true, Lines: true,
	New: newJSONLines}

type jsonWriter struct {
	to     io.Writer
	schema *pipeline.Schema
	arrays bool
	keys   [][]byte // "name":, of each column
	line   []byte
}

func newJSONLines(to io.Writer, o Options) (Writer, error) {
	w := &jsonWriter{to: to, schema: o.Schema, arrays: o.Arrays}
	for _, name := range o.Schema.Names() {
		w.keys = append(w.keys, append(appendString(nil, name), ':'))
	}
	return w, nil
}

// Write writes a line.
func (w *jsonWriter) Write(i pipeline.Item) error {
	w.line = w.line[:0]
	if w.schema.Sequence {
		w.line = append(w.line, '[')
		for k, row := range i.Sequence {
			w.comma(k)
			w.row(row)
		}
		w.line = append(w.line, ']')
	} else {
		w.row(i.Row)
	}
	w.line = append(w.line, '\n')
	_, err := w.to.Write(w.line)
	return err
}

// Finish writes nothing.
func (w *jsonWriter) Finish() error { return nil }

func (w *jsonWriter) comma(k int) {
	if k > 0 {
		w.line = append(w.line, ',')
	}
}

func (w *jsonWriter) row(r pipeline.Row) {
	brackets := "{}"
	if w.arrays {
		brackets = "[]"
	}
	w.line = append(w.line, brackets[0])
	for k, v := range r {
		w.comma(k)
		if !w.arrays {
			w.line = append(w.line, w.keys[k]...)
		}
		w.line = appendValue(w.line, typed(v, w.schema.Columns[k]))
	}
	w.line = append(w.line, brackets[1])
}

func appendValue(b []byte, v pipeline.Value) []byte {
	switch v.Kind() {
	case pipeline.NullKind:
		return append(b, "null"...)
	case pipeline.TextKind:
		return appendString(b, v.String())
	case pipeline.DoubleKind, pipeline.FloatKind:
		x, _ := v.Double()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return append(append(append(b, '"'), v.String()...), '"')
		}
		return append(b, v.String()...)
	case pipeline.BytesKind:
		return appendString(b, base64.StdEncoding.EncodeToString([]byte(v.String())))
	case pipeline.ArrayKind:
		return appendArray(b, v.Array())
	}
	return append(b, v.String()...)
}

func appendArray(b []byte, a *pipeline.Array) []byte {
	b = append(b, `{"shape":[`...)
	for i, n := range a.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = append(b, `],"values":[`...)
	for i, x := range a.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, pipeline.Double(x))
	}
	return append(b, "]}"...)
}

// appendString appends a text as JSON. Invalid UTF-8 becomes the replacement character.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}
