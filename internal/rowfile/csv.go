package rowfile

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// csvFormat is RFC 4180, with lines that end in a newline alone. Null is an empty field; an empty text is in quotes,
// which most readers don't distinguish. Bytes are in base64.
var csvFormat = Format{Name: "csv", Endings: []string{".csv"}, Header: true, Lines: true, New: newCSV}

type csvWriter struct {
	to     io.Writer
	schema *pipeline.Schema
	line   []byte
}

func newCSV(to io.Writer, o Options) (Writer, error) {
	if o.Schema.Sequence {
		return nil, fmt.Errorf("the pipeline gives sequences, and a line of CSV is one row: write a .jsonl file")
	}
	for _, c := range o.Schema.Columns {
		if c.Type() == pipeline.ArrayType {
			return nil, fmt.Errorf("column %q has arrays, which CSV has no place for: write a .jsonl file", c.Title())
		}
	}
	w := &csvWriter{to: to, schema: o.Schema}
	if o.NoHeader {
		return w, nil
	}
	for i, name := range o.Schema.Names() {
		w.field(i, name)
	}
	return w, w.flush()
}

// Write writes a line.
func (w *csvWriter) Write(i pipeline.Item) error {
	for k, v := range i.Row {
		c := w.schema.Columns[k]
		switch v = typed(v, c); {
		case v.IsNull() && len(i.Row) > 1:
			w.separate(k)
		case v.IsNull(): // an empty line would be no row
			w.field(k, "")
		case v.Kind() == pipeline.ArrayKind:
			return fmt.Errorf("column %q: an array, which CSV has no place for", c.Title())
		case v.Kind() == pipeline.BytesKind:
			w.field(k, base64.StdEncoding.EncodeToString([]byte(v.String())))
		default:
			w.field(k, v.String())
		}
	}
	return w.flush()
}

func (w *csvWriter) separate(k int) {
	if k > 0 {
		w.line = append(w.line, ',')
	}
}

// field appends a field, in quotes if it needs them.
func (w *csvWriter) field(k int, text string) {
	w.separate(k)
	if text != "" && !strings.ContainsAny(text, "\",\r\n") && text[0] != ' ' && text[len(text)-1] != ' ' {
		w.line = append(w.line, text...)
		return
	}
	w.line = append(w.line, '"')
	for {
		before, after, found := strings.Cut(text, `"`)
		w.line = append(w.line, before...)
		if !found {
			break
		}
		w.line, text = append(w.line, `""`...), after
	}
	w.line = append(w.line, '"')
}

func (w *csvWriter) flush() error {
	w.line = append(w.line, '\n')
	_, err := w.to.Write(w.line)
	w.line = w.line[:0]
	return err
}

// Finish writes nothing.
func (w *csvWriter) Finish() error { return nil }
