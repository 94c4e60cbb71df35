package source

import (
	"context"
	"fmt"
	"unicode/utf8"
)

func init() { Register("csv", csvKind{}) }

// csvKind is csv:FILE?label=…&key=…&….
type csvKind struct{}

func (csvKind) About() About {
	return About{
		Form: "csv:FILE?label=COLUMN",
		Text: "a table",
		More: `FILE may be a directory or a pattern: all its files. Those of gzip, zstd and bzip2 are unpacked.
header=true or header=false, where dl4go does not recognise a header; key=COLUMN holds the keys of the
examples; label=none, if there are no labels. label=COLUMN without classes=N finds the classes itself.`,
		Endings:     []string{".csv", ".tsv"},
		Directories: true,
		Settings: append([]Setting{
			{Name: "label", Value: "COLUMNS", Text: "label columns", Default: "the last column is taken for a label",
				List: true},
			{Name: "key", Flag: "keys", Value: "COLUMNS", Text: "columns that identify an example", List: true},
			{Name: "weights", Value: "COLUMN", Text: "how much each example counts in training", Rare: true},
			{Name: "classes", Value: "N", Text: "number of classes"},
			{Name: "names", Value: "LIST", Text: "the classes, in order", List: true},
			{Name: "regression", Text: "labels are numbers, not classes", Switch: true},
			{Name: "header", Text: "the first line names the columns", Switch: true, Rare: true, Raw: true},
			{Name: "delimiter", Value: "CHARACTER", Text: "between columns, or tab (default ,)", Offer: []string{",", ";", "|",
				"tab"},
				Raw: true},
			{Name: "comment", Value: "CHARACTER", Text: "begins lines that are passed over", Offer: []string{"#"}, Rare: true,
				Raw: true},
			{Name: "quote", Value: "CHARACTER", Text: "around fields (default \")", Offer: []string{"'"}, Rare: true, Raw: true},
			{Name: "skip", Flag: "skip-lines", Value: "N", Text: "lines at the beginning of each file that are passed over",
				Rare: true, Raw: true},
			{Name: "encoding", Value: "NAME", Text: "of the text, such as utf-16 or latin-1 (default utf-8)",
				Offer: encodingNames, Rare: true, Raw: true},
			{Name: "image", Value: "HxW", Text: "features are pixels of such an image", Rare: true},
			badRowsSetting,
		}, sequenceSettings...),
	}
}

func (csvKind) Check(n Name, _ Options) error {
	_, err := csvOf(n)
	return err
}

func (csvKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	c.Schema = o.As
	t, err := openCSV(ctx, n.Place, c)
	if err != nil {
		return nil, err
	}
	t.info.Name = n.String()
	return t, nil
}

// openIn stores the rows on disk.
func (csvKind) openIn(ctx context.Context, n Name, o Options) (Source, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	c.Schema = o.As
	r := newCSVReader(n.Place, c.asKnown(), false)
	return r.store(ctx, n, o.Room)
}

func (csvKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	c.Schema = o.As
	rows, err := newCSVStream(n.Place, c, !o.Unlabelled)
	if err != nil {
		return nil, err
	}
	if err := rows.open(ctx, n.Place); err != nil {
		rows.close()
		return nil, err
	}
	return rows, nil
}

// Streams is false if the labels are classes without names, as only all rows together tell the classes.
func (csvKind) Streams(n Name, o Options) bool {
	c, err := csvOf(n)
	return o.Unlabelled || err == nil && (c.Label == "none" || c.Regression || c.Names != nil)
}

// csvOf returns the settings of a csv: name.
func csvOf(n Name) (o CSV, err error) {
	if n.Place == "" {
		return o, specf("a file is needed: csv:FILE?label=COLUMN")
	}
	o.Label, o.Key, o.Weights = n.Settings["label"], n.Settings["key"], n.Settings["weights"]
	if _, err := n.Sequencing(); err != nil {
		return o, err
	}
	if err := n.CheckBadRows(); err != nil {
		return o, err
	}
	if o.Classes, err = n.count("classes", noClasses); err != nil {
		return o, err
	}
	if v, ok := n.Settings["names"]; ok {
		o.Names = Values(v)
	}
	regression, err := n.flag("regression")
	if err != nil {
		return o, err
	}
	o.Regression = regression != nil && *regression
	if o.Header, err = n.flag("header"); err != nil {
		return o, err
	}
	if o.Delimiter, err = n.character("delimiter"); err != nil {
		return o, err
	}
	if o.Comment, err = n.character("comment"); err != nil {
		return o, err
	}
	if o.Comment != 0 && (o.Comment == o.Delimiter || o.Comment == '"' || o.Comment == '\n' || o.Comment == '\r') {
		return o, &SettingError{"comment", n.Settings["comment"], "a character that means nothing else should be here"}
	}
	if o.Skip, err = n.count("skip", "a number of lines should be here"); err != nil {
		return o, err
	}
	quote, err := n.character("quote")
	if err != nil {
		return o, err
	}
	if o.Quote = byte(quote); quote > 127 || quote != 0 && (quote == o.Delimiter || quote < ' ') {
		return o, &SettingError{"quote", n.Settings["quote"], "a character of ASCII other than the delimiter should be here"}
	}
	if v, ok := n.Settings["encoding"]; ok {
		if o.Encoding, err = checkEncoding(v); err != nil {
			return o, err
		}
	}
	if v, ok := n.Settings["image"]; ok {
		if k, err := fmt.Sscanf(v, "%dx%d", &o.Height, &o.Width); k != 2 || err != nil || o.Height < 1 || o.Width < 1 {
			return o, &SettingError{"image", v, "an image's HEIGHTxWIDTH should be here"}
		}
	}
	return o, nil
}

// character returns a setting of one character, or 0 if it is not given.
func (n Name) character(key string) (rune, error) {
	v, ok := n.Settings[key]
	if !ok {
		return 0, nil
	}
	if v == "tab" {
		return '\t', nil
	}
	c, length := utf8.DecodeRuneInString(v)
	if length == 0 || length < len(v) {
		return 0, &SettingError{key, v, "one character, or tab, should be here"}
	}
	return c, nil
}
