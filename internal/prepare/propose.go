package prepare

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// propose proposes a pipeline for the training rows, without regard to the other rows. The label stays as it is in the
// data: classes are found by name, and a network's normalizer scales numbers.
func (o *opening) propose(p *source.Preparation) error {
	if s := o.of.Sequencing; s != nil && s.Tokens != nil {
		return o.vocabulary(p)
	}
	a := o.Proposal
	a.Label, a.Regression, a.Classes, a.Unlabelled = o.labels, o.regression, o.classes, skips(o.name)
	for _, name := range slices.Concat(o.name.Keys(), o.left()) {
		if !slices.Contains(a.Drop, name) {
			a.Drop = append(a.Drop, name)
		}
	}
	t, err := o.reader.analyse(o)
	if err != nil {
		return err
	}
	found, err := analysis.Propose(t, a)
	if err == nil && found.Task == analysis.Classification && a.Classes == nil {
		if all := o.allClasses(found.Classes); len(all) > len(found.Classes) {
			a.Classes = all
			found, err = analysis.Propose(t, a)
		}
	}
	if err == nil {
		err = found.Refused()
	}
	if err == nil && a.Embed.All && len(found.Embedded) == 0 {
		err = fmt.Errorf("%s: no column looks like one of categories; name some", a.Word("Embed", ""))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	p.Pipeline, p.Task, p.Classes, p.Embed = found.Pipeline, tasks[found.Task], found.Classes, found.Embedded
	p.Seen = found.Seen
	o.numbers, o.profiled = found.Numbers, t.Rows
	p.Pipeline.Steps = slices.DeleteFunc(p.Pipeline.Steps, func(s pipeline.Step) bool { return encodes(s, o.labels) })
	o.result.Columns, o.result.Notices = found.Columns, found.Notices
	o.explainSequences()
	return nil
}

var tasks = map[analysis.Task]source.Task{
	analysis.Classification: source.Classification,
	analysis.MultiLabel:     source.MultiLabel,
	analysis.Regression:     source.Regression,
}

// left returns columns that describe a row but are no features.
func (o *opening) left() (names []string) {
	if o.Split.By == ByGroup {
		names = append(names, o.Split.Column)
	}
	if w := o.name.Weights(); w != "" {
		names = append(names, w)
	}
	return append(names, o.sequenceColumns()...)
}

// analyse profiles the training rows, unless look has done so. Only one call returns what look has found.
func (t *table) analyse(o *opening) (*analysis.Table, error) {
	if found := t.profile; found != nil {
		t.profile = nil // its counts may be larger than the examples
		return found, nil
	}
	p, err := analysis.NewProfiler(o.schema, analysis.InferOptions{Label: o.labels, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	if !o.schema.Sequence {
		err = o.batches(func(first int, b *pipeline.Batch, place func(row int) string) error {
			return p.AddBatch(b, func(row int) bool { return o.trainsOn(first + row) }, place)
		})
		return p.Table(), err
	}
	err = o.each(func(i int, item pipeline.Item, place func() string) error {
		if !o.trainsOn(i) {
			return nil
		}
		return p.Add(item, place)
	})
	return p.Table(), err
}

// allClasses returns the classes of all rows: a class may have no training row.
func (o *opening) allClasses(known []string) []string {
	all, _, _ := different(o.seen.all(0))
	all = slices.DeleteFunc(all, func(name string) bool { return name == "" || slices.Contains(known, name) })
	if len(all) == 0 {
		return known
	}
	sorted, _, _ := different(slices.Concat(known, all))
	return sorted
}
