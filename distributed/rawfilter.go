package distributed

import (
	"encoding/json"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// rawFilter is a pipeline that all rows go through. Blocks of rows that its first filters remove need not be read.
type rawFilter struct {
	Pipeline json.RawMessage
	Absent   []string `json:",omitempty"` // columns in which the pipeline sees other values
	plan     *pipeline.Plan
}

// filterBy returns the filter of a pipeline.
func filterBy(p *pipeline.Pipeline, absent []string) (*rawFilter, error) {
	plan, err := p.Bind()
	if err != nil || !plan.BeginsWithFilter() {
		return nil, err
	}
	text, err := p.JSON()
	return &rawFilter{Pipeline: text, Absent: absent, plan: plan}, err
}

// removes returns a function for source.RowOptions. f may be nil.
func (f *rawFilter) removes(as *pipeline.Schema) (func([]pipeline.Extent) bool, error) {
	if f == nil || as == nil {
		return nil, nil
	}
	if f.plan == nil {
		p, err := pipeline.Parse(f.Pipeline)
		if err != nil {
			return nil, engine.Permanent(err)
		}
		if f.plan, err = p.Bind(); err != nil {
			return nil, engine.Permanent(err)
		}
	}
	return source.Removes(f.plan, as, f.Absent), nil
}

// leaveOut returns the files without those whose rows the filter removes because of the names of their directories. The
// first one stays. fromPaths are the columns whose values are in these names.
func (t *RawTable) leaveOut(paths, fromPaths []string) ([]string, error) {
	as := t.conf.As.Schema
	removes, err := t.conf.Filter.removes(as)
	if removes == nil {
		return paths, err
	}
	columns := slices.DeleteFunc(slices.Clone(t.conf.Paths.Columns), func(c pipeline.Column) bool {
		return !slices.Contains(fromPaths, c.Title())
	})
	return append(paths[:1:1], slices.DeleteFunc(slices.Clone(paths[1:]), func(path string) bool {
		return removes(source.PathExtents(t.name, path, columns, as))
	})...), nil
}
