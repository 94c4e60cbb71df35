package prepare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// rowOptions says how the raw rows are read: with which schema, and as which sequences.
func (o *opening) rowOptions(n source.Name) (of source.RowOptions, err error) {
	switch {
	case o.Known != nil:
		of.Sequencing = o.Known.Sequence
		of.As = &o.Known.Pipeline.Initial
		of.Columns = append(of.As.Names(), others(n, o.Settings)...)
		return of, nil // what settings say is compared when the rows are opened
	case o.Pipeline != nil:
		of.As = &o.Pipeline.Initial
		of.Columns = append(of.As.Names(), others(n, o.Settings)...)
	default:
		of.Dropped = o.Proposal.Drop
	}
	of.Sequencing, err = n.Sequencing()
	if err == nil && of.Sequencing != nil && of.As != nil && !of.As.Sequence {
		err = errors.New("sequence: the pipeline takes rows, and has to make sequences by itself; leave out " +
			"sequence=COLUMNS, or give it a SequenceSchema")
	}
	return of, err
}

// sequenceColumns returns the columns that identify sequences, which are no features.
func (o *opening) sequenceColumns() []string {
	s := o.of.Sequencing
	switch {
	case s == nil:
		return nil
	case s.Tokens != nil:
		return []string{s.Tokens.Column}
	case s.Time == "":
		return s.ID
	}
	return append(slices.Clone(s.ID), s.Time)
}

// things returns a word for the table's elements.
func (o *opening) things() string {
	if o.schema.Sequence {
		return "sequences"
	}
	return "rows"
}

// explainSequences says of the columns that tell sequences why they are left out.
func (o *opening) explainSequences() {
	for i := range o.result.Columns {
		c := &o.result.Columns[i]
		switch s := o.of.Sequencing; {
		case s == nil || c.Action != analysis.Drop:
		case slices.Contains(s.ID, c.Column):
			c.Reason = "rows with equal values are a sequence"
		case c.Column == s.Time:
			c.Reason = "the order of the rows of a sequence"
		}
	}
	o.result.Notices = slices.DeleteFunc(o.result.Notices, func(n analysis.Notice) bool {
		return n.Kind == "leak" && slices.Contains(o.sequenceColumns(), n.Column)
	})
}

// noteRows adds notices on sequences and on skipped rows.
func (o *opening) noteRows(all source.Info) {
	p := o.result.Preparation
	of := "a sequence"
	if p.PerStep {
		of = "a step, as it changes within sequences"
	}
	if len(all.Features[0]) == 2 && o.Known == nil {
		o.result.Notices = append(o.result.Notices, analysis.Notice{Kind: "sequences",
			Text: fmt.Sprintf("%s: one label %s", strings.Join(p.Labels, ", "), of)})
	}
	for _, text := range all.Notes {
		o.result.Notices = append(o.result.Notices, analysis.Notice{Kind: "rows", Text: text})
	}
}

// perStep reports whether a label changes within a sequence of the pipeline's result.
func (t *table) perStep(o *opening, plan *pipeline.Plan, columns []string) (changes bool, err error) {
	var at []int
	for _, name := range columns {
		at = append(at, plan.Out().Index(name))
	}
	var last pipeline.Row
	err = o.through(plan, func(row pipeline.Row, next bool) error {
		for _, i := range at {
			changes = changes || next && textOf(row[i]) != textOf(last[i])
		}
		last = row
		return nil
	})
	return changes, err
}

// labelOf returns the label of a row or of a sequence's first step; empty if one is missing. It calls change with
// different labels of later steps.
func labelOf(column int, row pipeline.Row, steps []pipeline.Row, change func(text string)) string {
	first := textOf(row[column])
	for _, step := range steps {
		text := textOf(step[column])
		if text == "" {
			return ""
		}
		if text != first {
			change(text)
		}
	}
	return first
}

// all are the different labels of all rows and steps, some of them more than once.
func (s *survey) all(label int) []string {
	all := slices.Clone(s.labels[label])
	for text := range s.changes[label] {
		all = append(all, text)
	}
	return all
}
