package source

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// Task is what a network learns from a table.
type Task string

// The tasks.
const (
	Classification Task = "classification" // one of several classes
	Regression     Task = "regression"     // numbers
	MultiLabel     Task = "multilabel"     // several labels, each present or absent
)

// Preparation says how to make examples from the raw columns of a [Tabular] kind of data. A model keeps it, so that it
// accepts raw columns and answers with names.
type Preparation struct {
	// Pipeline makes the columns of features and labels from the raw ones. The labels need not be its last columns.
	Pipeline *pipeline.Pipeline
	// Task is the kind of labels.
	Task Task
	// Labels are the names of the label columns in the data.
	Labels []string
	// Outputs are the columns of the pipeline's result that hold the labels. For Classification, that is the column of
	// the class, or a column of 1 and 0 for each class.
	Outputs []string
	// Classes are the names of the classes, in the order of the network's outputs; nil for other tasks.
	Classes []string
	// Absent holds a value for each label column. A row with an unknown label goes through the pipeline with these.
	Absent []string
	// Embed lists the columns of the result that hold category numbers, made by CategoricalToIntegerTransform. A
	// built-in network learns a vector for each category.
	Embed []string
	// Seen holds the values of raw columns in the training rows, so that unknown values can be counted. It is nil if they
	// are not known.
	Seen []analysis.Seen
	// Sequence says which raw rows form a sequence. It is nil if the data has single rows, or already has sequences.
	Sequence *Sequencing
	// PerStep is true if each step of a sequence has its own labels. Otherwise all steps of a sequence have the same.
	PerStep bool
}

// preparationVersion is the version of the form in files.
const preparationVersion = 1

// preparationFile is the part of a Preparation that is stored beside the pipeline.
type preparationFile struct {
	Version  int             `json:"version"`
	Task     Task            `json:"task"`
	Labels   []string        `json:"labels"`
	Outputs  []string        `json:"outputs"`
	Classes  []string        `json:"classes,omitempty"`
	Absent   []string        `json:"absent,omitempty"`
	Embed    []string        `json:"embed,omitempty"`
	Seen     []analysis.Seen `json:"seen,omitempty"`
	Sequence *Sequencing     `json:"sequence,omitempty"`
	PerStep  bool            `json:"perStep,omitempty"`
	Pipeline json.RawMessage `json:"pipeline,omitempty"` // only between a driver and its workers
}

// Encode returns the two texts for a model file: the pipeline, in DataVec's format, and the labels.
func (p *Preparation) Encode() (steps, labels []byte, err error) {
	if steps, err = p.Pipeline.JSON(); err != nil {
		return nil, nil, fmt.Errorf("the pipeline: %w", err)
	}
	labels, err = json.MarshalIndent(p.file(), "", "  ")
	return steps, append(labels, '\n'), err
}

func (p *Preparation) file() preparationFile {
	return preparationFile{Version: preparationVersion, Task: p.Task, Labels: p.Labels, Outputs: p.Outputs,
		Classes: p.Classes, Absent: p.Absent, Embed: p.Embed, Seen: p.Seen, Sequence: p.Sequence, PerStep: p.PerStep}
}

// DecodePreparation decodes the texts of [Preparation.Encode].
func DecodePreparation(steps, labels []byte) (*Preparation, error) {
	var f preparationFile
	if err := json.Unmarshal(labels, &f); err != nil {
		return nil, fmt.Errorf("the labels of the pipeline: %w", err)
	}
	return f.preparation(steps)
}

func (f preparationFile) preparation(steps []byte) (*Preparation, error) {
	if f.Version != preparationVersion {
		return nil, fmt.Errorf("labels of a pipeline, version %d: this program reads version %d; use a newer one",
			f.Version, preparationVersion)
	}
	steps2, err := pipeline.Parse(steps)
	if err != nil {
		return nil, fmt.Errorf("the pipeline: %w", err)
	}
	p := &Preparation{Pipeline: steps2, Task: f.Task, Labels: f.Labels, Outputs: f.Outputs, Classes: f.Classes,
		Absent: f.Absent, Embed: f.Embed, Seen: f.Seen, Sequence: f.Sequence, PerStep: f.PerStep}
	_, err = p.bind()
	return p, err
}

// MarshalJSON encodes the Preparation for workers, which receive it with their task.
func (p *Preparation) MarshalJSON() ([]byte, error) {
	f := p.file()
	var err error
	if f.Pipeline, err = p.Pipeline.JSON(); err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (p *Preparation) UnmarshalJSON(b []byte) error {
	var f preparationFile
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	got, err := f.preparation(f.Pipeline)
	if err == nil {
		*p = *got
	}
	return err
}

// prepared is a Preparation that is ready to run.
type prepared struct {
	*Preparation
	plan     *pipeline.Plan
	features []int // columns of the result
	outputs  []int // columns of the result that hold labels
	width    int   // numbers in the features of an example, or of a step of a sequence
	embedded []Category
	find     func(class string) int
}

// bind checks that the pipeline's result holds numbers and the labels.
func (p *Preparation) bind() (*prepared, error) {
	if p.Pipeline == nil {
		return nil, errors.New("there is no pipeline")
	}
	plan, err := p.Pipeline.Bind()
	if err != nil {
		return nil, err
	}
	b := &prepared{Preparation: p, plan: plan}
	out := plan.Out()
	if p.PerStep && !out.Sequence {
		return nil, errors.New("the labels are those of steps, and the pipeline gives no sequences")
	}
	if len(p.Absent) != 0 && len(p.Absent) != len(p.Labels) {
		return nil, fmt.Errorf("%d values stand for %d labels", len(p.Absent), len(p.Labels))
	}
	label := make(map[int]bool)
	for _, name := range p.Outputs {
		at, err := out.Find(name)
		if err != nil {
			return nil, fmt.Errorf("the labels: after the pipeline %w", err)
		}
		label[at] = true
		b.outputs = append(b.outputs, at)
	}
	for i, c := range out.Columns {
		if label[i] {
			continue
		}
		n, err := featureWidth(c)
		if err != nil {
			return nil, err
		}
		b.features = append(b.features, i)
		b.width += n
	}
	if len(b.features) == 0 {
		return nil, errors.New("all columns that the pipeline gives are labels: none is left for features")
	}
	if err := b.embeds(); err != nil {
		return nil, err
	}
	return b, b.checkLabels()
}

// checkLabels checks that the columns of labels fit the task.
func (b *prepared) checkLabels() error {
	switch {
	case b.Task == Classification && len(b.Classes) < 2:
		return fmt.Errorf("the label has the classes %s, and a network needs two at least to tell apart",
			data.ShortList(b.Classes))
	case b.Task == Classification && len(b.outputs) > 1 && len(b.outputs) != len(b.Classes):
		return fmt.Errorf("the label has %d columns and %d classes", len(b.outputs), len(b.Classes))
	case b.Task != Classification && b.Task != Regression && b.Task != MultiLabel:
		return fmt.Errorf("there is no task %q: there are %s, %s and %s", b.Task, Classification, Regression, MultiLabel)
	case len(b.outputs) == 0:
		return errors.New("there is no label column; label=COLUMN names it")
	}
	names := &data.Schema{Classes: b.Classes}
	b.find = names.ClassFinder()
	return nil
}

// featureWidth returns how many numbers a column of the result makes.
func featureWidth(c pipeline.Column) (int, error) {
	if a, ok := c.(pipeline.ArrayColumn); ok {
		n := int64(1)
		for _, extent := range a.Shape {
			if extent < 1 || n > 1<<30/extent {
				return 0, fmt.Errorf("column %q: arrays of the shape %v are no features", a.Name, a.Shape)
			}
			n *= extent
		}
		return int(n), nil
	}
	hint := ""
	switch c.Type() {
	case pipeline.StringType:
		hint = "CategoricalToOneHotTransform after StringToCategoricalTransform, or RemoveColumnsTransform"
	case pipeline.CategoricalType:
		hint = "CategoricalToOneHotTransform"
	case pipeline.BytesType:
		hint = "RemoveColumnsTransform"
	default:
		return 1, nil
	}
	return 0, fmt.Errorf("column %q is of type %s when the pipeline ends, and features are numbers; add the step %s",
		c.Title(), c.Type(), hint)
}

// labelWidth returns how many numbers the labels of an example are.
func (b *prepared) labelWidth() int {
	if b.Task == Classification {
		return len(b.Classes)
	}
	return len(b.outputs)
}

// schema returns the names of the features and the classes, and with labels also those of the labels.
func (b *prepared) schema(labels bool) *data.Schema {
	s := &data.Schema{}
	out := b.plan.Out()
	for _, i := range b.features {
		name := out.Columns[i].Title()
		n, _ := featureWidth(out.Columns[i])
		for k := range n {
			if n == 1 {
				s.Features = append(s.Features, name)
			} else {
				s.Features = append(s.Features, fmt.Sprintf("%s[%d]", name, k))
			}
		}
	}
	if labels {
		s.Labels, s.Classes = b.Labels, b.Classes
	}
	return s
}

// Streams reports whether each row alone determines its examples.
func (p *Preparation) Streams() bool {
	plan, err := p.Pipeline.Bind()
	return err == nil && plan.Streams()
}

// For returns p for data that has raw columns, and nil for data that has features. p may be nil.
func (p *Preparation) For(n Name) *Preparation {
	switch k, _ := KindOf(n.Kind); k := k.(type) {
	case Tabular:
		return p
	case interface{ RawColumns() bool }: // an engine opens it
		if k.RawColumns() {
			return p
		}
	}
	return nil
}
