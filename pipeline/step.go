package pipeline

import "github.com/dl4go/dl4go/dl4j"

// Step is one step of a [Pipeline]: a struct with the step's settings. It is a [Transform], a [Filter], or one of the
// steps that group or reorder.
type Step interface {
	// Bind checks the step against the columns that come to it, and gives what it does to rows or sequences and the
	// columns after it. It neither changes nor keeps the schema.
	Bind(in *Schema) (Bound, error)
}

// Transform is a step that changes columns, rows or sequences. Modules add their own with [RegisterTransform].
type Transform interface{ Step }

// Filter is a step that removes rows or sequences. Modules add their own with [RegisterFilter].
type Filter interface{ Step }

var (
	transforms = dl4j.NewClasses[Transform]("transform")
	filters    = dl4j.NewClasses[Filter]("filter")
)

// RegisterTransform makes a transform known under the class name that files give it. The constructor gives a pointer to
// a struct, or a struct, whose fields have dl4j tags (see package dl4j), with the values of members that a file leaves
// out. It is called from init; a name that is taken panics.
func RegisterTransform(class string, constructor func() Transform) {
	transforms.Register(class, constructor)
}

// RegisterFilter makes a filter known, as RegisterTransform does a transform.
func RegisterFilter(class string, constructor func() Filter) { filters.Register(class, constructor) }

// Bound is a step that is ready to run on data of one schema.
type Bound struct {
	// Out are the columns after the step.
	Out *Schema
	// Run is what the step does. Nil leaves the values as they are: only the schema changes.
	Run Operator
}

// Operator is what a step does: a [RowMap], [RowFilter], [SequenceMap], [SequenceFilter], [SequenceSplit],
// [RowSequence], [SequenceRows] or [Gather].
type Operator interface{ operator() }

// RowMap gives the row after the step. The row is the function's: it may change it and give it back. On sequences it
// runs on each of their steps.
type RowMap func(Row) (Row, error)

// RowFilter reports whether a row stays. It is for rows: a filter of sequences is a SequenceFilter.
type RowFilter func(Row) (keep bool, err error)

// SequenceMap gives the sequence after the step. The sequence is the function's. An empty result stays in the data.
type SequenceMap func([]Row) ([]Row, error)

// SequenceFilter reports whether a sequence stays.
type SequenceFilter func([]Row) (keep bool, err error)

// SequenceSplit cuts a sequence into several.
type SequenceSplit func([]Row) ([][]Row, error)

// RowSequence makes a sequence of each row.
type RowSequence func(Row) ([]Row, error)

// SequenceRows makes rows of each sequence.
type SequenceRows func([]Row) ([]Row, error)

// Gather is a step that needs all of the data before it gives anything: it makes an empty Gatherer for a run.
type Gather func() Gatherer

// Gatherer collects rows or sequences.
type Gatherer interface {
	// Add takes the next item. It belongs to the Gatherer.
	Add(Item) error
	// Finish gives what came of them, in an order that depends on the order of Add alone.
	Finish(emit func(Item) error) error
}

func (RowMap) operator()         {}
func (RowFilter) operator()      {}
func (SequenceMap) operator()    {}
func (SequenceFilter) operator() {}
func (SequenceSplit) operator()  {}
func (RowSequence) operator()    {}
func (SequenceRows) operator()   {}
func (Gather) operator()         {}

// Item is what flows through a pipeline: a row, or, where the schema is of sequences, a sequence of rows. The other
// one is nil.
type Item struct {
	Row      Row
	Sequence []Row
}
