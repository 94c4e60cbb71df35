package source

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

func init() { Register("csvseq", csvSequencesKind{}) }

// csvSequencesKind is csvseq:DIRECTORY?labels=DIRECTORY&….
type csvSequencesKind struct{}

func (csvSequencesKind) About() About {
	a := About{
		Form: "csvseq:DIRECTORY?label=COLUMN",
		Text: "CSV files, a sequence in each",
		More: `Each line is a step. labels=DIRECTORY has files of the same names with the labels: a line for each step,
or one for the sequence. align=start or align=end says where they stand if there are fewer.`,
		Directories: true,
		Settings: []Setting{
			{Name: "labels", Flag: "sequence-labels", Value: "DIR", Text: "files of labels", Rare: true},
			{Name: "align", Value: "HOW", Text: "place of fewer labels: equal, start or end", Default: "equal",
				Offer: []string{"equal", "start", "end"}, Rare: true},
		},
	}
	for _, s := range (csvKind{}).About().Settings {
		switch s.Name {
		case "label", "classes", "names", "regression", "header", "delimiter", "comment", "quote", "skip", "encoding",
			"bad-rows":
			a.Settings = append(a.Settings, s)
		}
	}
	return a
}

func (k csvSequencesKind) Check(n Name, _ Options) error {
	_, err := k.options(n)
	return err
}

// options returns the settings of the files' text.
func (csvSequencesKind) options(n Name) (CSV, error) {
	if n.Place == "" || n.Place == "-" {
		return CSV{}, specf("a directory is needed: csvseq:DIRECTORY?label=COLUMN")
	}
	align, given := n.Settings["align"]
	if !slices.Contains([]string{"equal", "start", "end"}, align) && given {
		return CSV{}, &SettingError{"align", align, "there are equal, start and end"}
	}
	if given && n.Settings["labels"] == "" {
		return CSV{}, &SettingError{"align", align, "it places the labels of labels=DIRECTORY, which is missing"}
	}
	c, err := csvOf(Name{Kind: "csv", Place: n.Place, Settings: n.Settings})
	return c, err
}

// keyColumn returns the name of the column of file names in answers.
func (csvSequencesKind) keyColumn() string { return "file" }

// Rows returns each file as a sequence, in the order of the files' names.
func (k csvSequencesKind) Rows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	c, err := k.options(n)
	if err != nil {
		return nil, err
	}
	r := &csvSequences{ctx: ctx, csv: c, as: o.As, align: n.Settings["align"]}
	if r.files, err = placeFiles(ctx, n.Place); err != nil {
		return nil, err
	}
	if place := n.Settings["labels"]; place != "" {
		if err := r.findLabels(place); err != nil {
			return nil, err
		}
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	return r, nil
}

// withoutLabel returns the name without the label setting, for a preparation that has the label.
func (n Name) withoutLabel() Name {
	n.Text, n.Settings = n.String(), maps.Clone(n.Settings)
	delete(n.Settings, "label")
	return n
}

// plain returns the preparation of unchanged numbers, with labels for each step.
func (k csvSequencesKind) plain(n Name, o Options, found *pipeline.Schema) (*Preparation, error) {
	p := &Preparation{PerStep: true, Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true}}}
	labels := Values(n.Settings["label"])
	if _, given := n.Settings["label"]; !given && o.As != nil && o.As.Labels != nil {
		labels = o.As.Labels
	}
	for _, name := range labels {
		i, err := strconv.Atoi(name)
		switch {
		case name == "":
			name = found.Names()[len(found.Columns)-1]
		case found.Index(name) < 0 && err == nil && i >= -len(found.Columns) && i < len(found.Columns):
			name = found.Names()[(i+len(found.Columns))%len(found.Columns)]
		}
		p.Labels = append(p.Labels, name)
	}
	c, err := k.options(n)
	p.Outputs, p.Task = p.Labels, Classification
	switch {
	case err != nil:
		return nil, err
	case c.Regression:
		p.Task = Regression
	case c.Names != nil:
		p.Classes = c.Names
	case o.As != nil && o.As.Classes != nil:
		p.Classes = o.As.Classes
	case c.Classes > 0:
		p.Classes = data.ClassNumbers(c.Classes)
	case o.Unlabelled:
		p.Task = Regression // no label is read
	default:
		return nil, specf("classes=N or names=… is needed, or regression=true, without a pipeline")
	}
	return p, p.plainColumns(o, found)
}

// plainColumns makes the pipeline read the columns of features, as a model names them or all, and those of labels.
func (p *Preparation) plainColumns(o Options, found *pipeline.Schema) error {
	names := found.Names()
	if o.As != nil && o.As.Features != nil {
		names = slices.Concat(o.As.Features, p.Labels)
	}
	for _, name := range names {
		if p.Task == Classification && slices.Contains(p.Labels, name) {
			p.Pipeline.Initial.Columns = append(p.Pipeline.Initial.Columns, pipeline.StringColumn{Name: name})
		} else {
			p.Pipeline.Initial.Columns = append(p.Pipeline.Initial.Columns, pipeline.DoubleColumn{Name: name})
		}
	}
	_, err := p.bind()
	return err
}

// plainOf returns plain's preparation for the columns of the first file.
func (k csvSequencesKind) plainOf(ctx context.Context, n Name, o Options) (*Preparation, error) {
	rows, err := k.Rows(ctx, n, RowOptions{})
	if err != nil {
		return nil, err
	}
	return k.plain(n, o, rows.Schema())
}

// Open reads the numbers unchanged.
func (k csvSequencesKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	p, err := k.plainOf(ctx, n, o)
	if err != nil {
		return nil, err
	}
	return p.prepare(ctx, n.withoutLabel(), o)
}

// Stream reads the files one after the other.
func (k csvSequencesKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	p, err := k.plainOf(ctx, n, o)
	if err != nil {
		return nil, err
	}
	return p.stream(ctx, n.withoutLabel(), o)
}

// Streams reports whether the settings say how labels are coded.
func (k csvSequencesKind) Streams(n Name, o Options) bool {
	c, err := k.options(n)
	return err == nil && (o.Unlabelled || c.Regression || c.Names != nil || c.Classes > 0)
}

// ByWorkers is true for URLs of files that hold their labels themselves.
func (k csvSequencesKind) ByWorkers(n Name) bool {
	return strings.Contains(n.Place, "://") && n.Settings["labels"] == "" && k.Streams(n, Options{})
}

// PlainByWorkers reports whether the workers of a cluster read the numbers of the named data from its raw rows, without
// changing them. That is so for sequences with labels in files of their own.
func PlainByWorkers(n Name, o Options) bool {
	kind, _ := KindOf(n.Kind)
	k, ok := kind.(csvSequencesKind)
	return ok && n.Settings["labels"] != "" && RawByWorkers(n) && (k.Streams(n, o) || o.As != nil && o.As.Classes != nil)
}

// Plain returns the preparation for data of [PlainByWorkers], and the name to use with it. found has the columns of the
// first file.
func Plain(n Name, o Options, found *pipeline.Schema) (*Preparation, Name, error) {
	p, err := csvSequencesKind{}.plain(n, o, found)
	return p, n.withoutLabel(), err
}

// ReadFile reads the sequence of a file.
func (k csvSequencesKind) ReadFile(n Name, o Options, path string, content Content,
	each func(*data.MultiDataSet) error) error {
	c, err := k.options(n)
	if err != nil || storage.Hidden(path) {
		return err
	}
	rows := &csvSequences{ctx: context.Background(), csv: c, files: []string{path},
		content: func(string) (io.Reader, io.Closer, error) {
			_, err := content.Seek(0, io.SeekStart)
			return content, io.NopCloser(nil), err
		}}
	if o.Preparation != nil {
		rows.as = &o.Preparation.Pipeline.Initial
	}
	if err := rows.begin(); err != nil {
		return err
	}
	p := o.Preparation
	if p == nil {
		if p, err = k.plain(n, o, rows.schema); err != nil {
			return err
		}
	}
	b, err := p.bind()
	if err != nil {
		return err
	}
	r, err := b.read(n, rows, !o.Unlabelled, nil)
	if err == nil {
		err = r.next()
	}
	if err == nil {
		err = r.close()
	}
	if err != nil {
		return err
	}
	return each(r.examples())
}

// Deep returns false: only files directly in the directory are read.
func (csvSequencesKind) Deep() bool { return false }

// labelHeader is the setting in which readers tell whether files of labels have a header.
const labelHeader = "labels-header"

// RawFile returns the sequence of a file, with the labels in o.Labels.
func (k csvSequencesKind) RawFile(n Name, path string, content Content, o RowOptions) (Rows, error) {
	c, err := k.options(n)
	if err != nil {
		return nil, err
	}
	r := &csvSequences{ctx: context.Background(), csv: c, as: o.As, align: n.Settings["align"], files: []string{path}}
	if told, ok := n.Settings[labelHeader]; ok {
		header := told == "true"
		r.told = &header
	}
	if o.Labels != nil {
		r.labels = []string{o.Labels.path}
	}
	r.content = func(of string) (io.Reader, io.Closer, error) {
		if o.Labels != nil && of == o.Labels.path {
			return bytes.NewReader(o.Labels.text), io.NopCloser(nil), nil
		}
		_, err := content.Seek(0, io.SeekStart)
		return content, io.NopCloser(nil), err
	}
	return r, r.begin()
}

// Told returns whether files of labels have a header.
func (r *csvSequences) Told() map[string]string {
	if r.labels == nil {
		return nil
	}
	return map[string]string{labelHeader: strconv.FormatBool(*r.ofLabels.Header)}
}
