package source

import (
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// skipper is a typedReader that can pass over blocks of rows without reading them, as [parquet.Reader] does.
type skipper interface {
	// Skip has Next pass over rows where removes says so of the extents of the reader's columns.
	PassOver(removes func(columns []pipeline.Extent) bool)
	// Passed is how many rows Next passed over before those that it gave last.
	Passed() int64
}

// Passed returns how many rows were passed over since the last call.
func (t *typedTable) Passed() int {
	n := t.passed
	t.passed = 0
	return n
}

// passing returns a function that reports whether the pipeline removes all rows of a block, given the extents of the
// reader's columns.
func (t *typedTable) passing() func(columns []pipeline.Extent) bool {
	all := t.extents(t.files[0])
	at := make([]int, len(all))
	for i, c := range t.as.Columns {
		if at[i] = t.schema.Index(c.Title()); at[i] >= 0 {
			at[i] = t.columns[at[i]]
		}
	}
	return func(columns []pipeline.Extent) bool {
		for i, k := range at {
			if k >= 0 {
				all[i] = columns[k]
			}
		}
		return t.removes(all)
	}
}

// extents returns the extents of the columns whose values are in the names of a file's directories.
func (t *typedTable) extents(file placedFile) []pipeline.Extent {
	all := make([]pipeline.Extent, len(t.as.Columns))
	for i, c := range t.as.Columns {
		k := t.schema.Index(c.Title())
		if k < 0 || t.columns[k] >= 0 {
			continue
		}
		v, err := partitionValue(t.schema.Columns[k], file.part(c.Title()))
		switch {
		case err != nil:
		case v.IsNull():
			all[i].AllNull = true
		default:
			all[i] = pipeline.Extent{Low: v, High: v, NoNulls: true, NoNaN: true}
		}
	}
	return all
}

// leaveOut drops the files, except for the first, whose rows the pipeline removes because of the names of their
// directories. A column that is in the first file itself is read from all files.
func (t *typedTable) leaveOut() {
	if t.removes == nil {
		return
	}
	rest := slices.DeleteFunc(t.files[1:], func(f placedFile) bool { return t.removes(t.extents(f)) })
	t.files = t.files[:1+len(rest)]
}

// FromPaths returns the names of the columns whose values are in the names of the file's directories.
func (t *typedTable) FromPaths() (names []string) {
	for i, c := range t.schema.Columns {
		if t.columns[i] < 0 {
			names = append(names, c.Title())
		}
	}
	return names
}

// PathExtents returns the extents of the columns of a schema for one file, if their values are in the file's path: see
// [PathColumns].
func PathExtents(n Name, path string, columns []pipeline.Column, as *pipeline.Schema) []pipeline.Extent {
	t := &typedTable{schema: &pipeline.Schema{Columns: columns}, as: as, columns: slices.Repeat([]int{-1}, len(columns))}
	return t.extents(placedFile{path, partitions(partitionRoot(n.Place), path)})
}

// Removes returns a function for [RowOptions.Removes]. It reports whether the first filters of a plan remove all rows
// of a block, given the extents of the columns of the schema as. The columns absent are taken as unknown, because the
// plan sees other values there. Removes returns nil if the plan does not begin with a filter.
func Removes(p *pipeline.Plan, as *pipeline.Schema, absent []string) func(columns []pipeline.Extent) bool {
	if !p.BeginsWithFilter() {
		return nil
	}
	in := p.In()
	return func(columns []pipeline.Extent) bool {
		all := make([]pipeline.Extent, len(in.Columns))
		for i, c := range in.Columns {
			if k := as.Index(c.Title()); k >= 0 && !slices.Contains(absent, c.Title()) {
				all[i] = columns[k]
			}
		}
		return p.RemovesAll(all)
	}
}
