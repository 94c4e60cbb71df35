package source

import (
	"context"

	"github.com/dl4go/dl4go/pipeline"
)

func init() { Register("text", textKind{}) }

// textKind is text:PLACE. Its columns are file, the source of a text; text; and label, if there are labels. A pipeline
// makes sequences of words from the texts.
type textKind struct{}

// The columns of texts.
const (
	textFile   = "file"
	textColumn = "text"
	textLabel  = "label"
)

func (textKind) About() About {
	a := About{
		Form: "text:PLACE",
		Text: "texts, a folder for each class, or a file of lines",
		More: `Each file in a folder of a class is a text, or each line of it with lines=true. Each line of another
file is a text, and labels=FILE has a class on each line. Files of gzip, zstd and bzip2 are unpacked.`,
		Directories: true,
		Settings: []Setting{
			{Name: "lines", Text: "each line of a file in a folder is a text", Switch: true, Rare: true, Raw: true},
			{Name: "labels", Value: "FILE", Text: "one a line", Rare: true, Raw: true},
			badRowsSetting,
			{Name: "names", Value: "LIST", Text: "the classes, in order", List: true},
			{Name: "regression", Text: "labels are numbers, not classes", Switch: true},
			{Name: "encoding", Value: "NAME", Text: "of the text, such as utf-16 or latin-1 (default utf-8)",
				Offer: encodingNames, Rare: true, Raw: true},
		},
	}
	for _, s := range tokenSettings {
		if s.Name != "tokens" {
			a.Settings = append(a.Settings, s)
		}
	}
	return a
}

// keyColumn returns the name of the column that identifies texts.
func (textKind) keyColumn() string { return textFile }

// tokenColumn returns the name of the column whose texts are sequences.
func (textKind) tokenColumn() string { return textColumn }

func (k textKind) Check(n Name, _ Options) error {
	_, err := k.options(n)
	return err
}

// textOptions are the settings.
type textOptions struct {
	lines    bool
	labels   string
	encoding string
}

func (textKind) options(n Name) (o textOptions, err error) {
	if n.Place == "" {
		return o, specf("a folder or a file is needed: text:PLACE")
	}
	lines, err := n.flag("lines")
	if err != nil {
		return o, err
	}
	o.lines = lines != nil && *lines
	o.labels = n.Settings["labels"]
	if name, given := n.Settings["encoding"]; given {
		if o.encoding, err = checkEncoding(name); err != nil {
			return o, err
		}
	}
	if _, err := n.flag("regression"); err != nil {
		return o, err
	}
	_, err = n.Sequencing()
	return o, err
}

// Open is never called: texts need a pipeline, and OpenName says so.
func (textKind) Open(context.Context, Name, Options) (Source, error) {
	return nil, &SpecError{errSequences.Error()}
}

// Rows returns a row for each text.
func (k textKind) Rows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	c, err := k.options(n)
	if err != nil {
		return nil, err
	}
	r := &textRows{ctx: ctx, conf: c, open: openLines}
	if r.files, err = findTexts(ctx, n.Place, c); err != nil {
		return nil, err
	}
	r.begin()
	if c.labels == "" {
		return r, nil
	}
	if r.labelled {
		return nil, &SettingError{"labels", c.labels, "the folders are the labels; leave it out"}
	}
	r.label()
	r.labels, err = openLines(ctx, c.labels, c.encoding)
	return r, err
}

// Deep returns true, because of the class folders.
func (textKind) Deep() bool { return true }

// RawFile returns a row for each text of a file.
func (k textKind) RawFile(n Name, path string, content Content, o RowOptions) (Rows, error) {
	c, err := k.options(n)
	if err != nil {
		return nil, err
	}
	r := &textRows{ctx: context.Background(), conf: c, files: []textInFile{textAt(n.Place, path, c)}}
	r.open = func(_ context.Context, path, encoding string) (*textLines, error) {
		t := &textLines{path: path}
		t.encoding = encoding
		return t, t.begin(path, content)
	}
	r.begin()
	if o.Labels == nil {
		return r, nil
	}
	if r.shared = true; r.labelled {
		return nil, &SettingError{"labels", c.labels, "the folders are the labels; leave it out"}
	}
	r.label()
	r.labels = o.Labels.lines
	return r, nil
}

// begin sets the columns, by the first file.
func (r *textRows) begin() {
	r.schema = &pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: textFile},
		pipeline.StringColumn{Name: textColumn}}}
	if r.files[0].class != "" {
		r.label()
	}
}

// label adds the column of labels.
func (r *textRows) label() {
	r.labelled = true
	r.schema.Columns = append(r.schema.Columns, pipeline.StringColumn{Name: textLabel})
}
