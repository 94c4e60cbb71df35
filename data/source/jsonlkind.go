package source

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/pipeline"
)

func init() { Register("jsonl", jsonlKind{}) }

// jsonlKind is jsonl:FILE?label=…&key=…&….
type jsonlKind struct{}

func (jsonlKind) About() About {
	a := About{
		Form: "jsonl:FILE?label=COLUMN",
		Text: "a table of JSON lines",
		More: `FILE may be a directory or a pattern, as of csv:. A line is an object by the columns' names, in which a.b
names a member of a member, or an array in the order of the columns.`,
		Endings:     []string{".jsonl", ".ndjson"},
		Directories: true,
	}
	for _, s := range (csvKind{}).About().Settings {
		switch s.Name {
		case "label", "key", "weights", "classes", "names", "regression", "image", "bad-rows":
			a.Settings = append(a.Settings, s)
		}
	}
	a.Settings = append(a.Settings, sequenceSettings...)
	return a
}

func (jsonlKind) Check(n Name, _ Options) error {
	_, err := jsonlOf(n)
	return err
}

func jsonlOf(n Name) (CSV, error) {
	if n.Place == "" {
		return CSV{}, specf("a file is needed: jsonl:FILE?label=COLUMN")
	}
	o, err := csvOf(n)
	header := true
	o.Header = &header
	return o, err
}

func (jsonlKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	c, err := jsonlOf(n)
	if err != nil {
		return nil, err
	}
	r := jsonlReader(n, c, o)
	return r.tableOf(ctx, n)
}

func jsonlReader(n Name, c CSV, o Options) csvReader {
	c.Schema = o.As
	r := newCSVReader(n.Place, c.asKnown(), false)
	r.records = &jsonRecords{}
	return r
}

// openIn stores the rows on disk.
func (jsonlKind) openIn(ctx context.Context, n Name, o Options) (Source, error) {
	c, err := jsonlOf(n)
	if err != nil {
		return nil, err
	}
	r := jsonlReader(n, c, o)
	return r.store(ctx, n, o.Room)
}

// tableOf reads all rows of a table.
func (r *csvReader) tableOf(ctx context.Context, n Name) (Source, error) {
	defer r.close()
	if err := r.open(ctx, n.Place); err != nil {
		return nil, err
	}
	if err := r.readAll(); err != nil {
		return nil, err
	}
	t, err := r.table()
	if err != nil {
		return nil, err
	}
	t.info.Name = n.String()
	return t, nil
}

func (jsonlKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	c, err := jsonlOf(n)
	if err != nil {
		return nil, err
	}
	c.Schema = o.As
	rows, err := newCSVStream(n.Place, c, !o.Unlabelled)
	if err != nil {
		return nil, err
	}
	rows.records = &jsonRecords{}
	if err := rows.open(ctx, n.Place); err != nil {
		return nil, errors.Join(err, rows.close())
	}
	return rows, nil
}

// Streams is the same as for csv: data.
func (jsonlKind) Streams(n Name, o Options) bool { return csvKind{}.Streams(n, o) }

// Rows opens the raw rows. With a schema, the columns are the schema's, and values have its types if they fit: an
// integer is an Integer or a Long if its column is one. Without a schema, the columns are the members of the first
// lines, as String columns, and each value keeps its type in JSON: integers are Longs, other numbers Doubles.
func (jsonlKind) Rows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	if _, err := jsonlOf(n); err != nil {
		return nil, err
	}
	r := &jsonRows{as: o.As}
	if err := r.open(ctx, n.Place); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// jsonRecords reads the rows of JSON lines as texts, for numbers without a pipeline.
type jsonRecords struct {
	rows  jsonRows
	begin func([]string) (bool, error)
	texts []string
}

func (r *jsonRecords) openPlace(ctx context.Context, place string, _ csvFormat, begin func([]string) (bool,
	error)) error {
	r.begin = begin
	return r.rows.open(ctx, place)
}

func (r *jsonRecords) read() ([]string, error) {
	if r.begin != nil && (len(r.rows.ahead) > 0 || r.rows.err == nil) {
		if r.rows.schema.Sequence {
			return nil, r.rows.errorf("the line is a sequence, not a row of numbers")
		}
		if _, err := r.begin(r.rows.schema.Names()); err != nil {
			return nil, err
		}
	}
	r.begin = nil
	item, err := r.rows.Next()
	if err != nil {
		var row *RowError
		if errors.As(err, &row) {
			err = row.Err
		}
		return nil, err
	}
	r.texts = r.texts[:0]
	for i, v := range item.Row {
		switch v.Kind() {
		case pipeline.NullKind:
			r.texts = append(r.texts, "")
		case pipeline.ArrayKind:
			return nil, r.rows.errorf("column %q: an array, not a number; a pipeline can take it",
				r.rows.schema.Columns[i].Title())
		default:
			r.texts = append(r.texts, v.String())
		}
	}
	return r.texts, nil
}

func (r *jsonRecords) at(int) place {
	return place{line: r.rows.last.line, column: 1, file: r.rows.last.file}
}

func (r *jsonRecords) isLive() bool { return r.rows.live }
func (r *jsonRecords) close() error { return r.rows.Close() }
