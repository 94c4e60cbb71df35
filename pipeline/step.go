package pipeline

import "github.com/dl4go/dl4go/dl4j"

// Step is one step of a [Pipeline]: a struct with the step's settings. It is a [Transform], a [Filter], or one of the
// steps that group or reorder.
type Step interface {
	// Bind checks the step against its input columns. It returns the step's operator on rows or sequences, and its
	// output columns. It neither changes nor keeps the schema.
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

// RegisterTransform registers a transform under its class name in files. The constructor returns a struct, or a
// pointer to one, whose fields have dl4j tags (see package dl4j). The struct's values are the defaults of members that
// a file leaves out. Call it from init; it panics if the name is taken.
func RegisterTransform(class string, constructor func() Transform) {
	transforms.Register(class, constructor)
}

// RegisterFilter registers a filter, like RegisterTransform for transforms.
func RegisterFilter(class string, constructor func() Filter) { filters.Register(class, constructor) }

// Bound is a step that is ready to run on data with a given schema.
type Bound struct {
	// Out holds the columns after the step.
	Out *Schema
	// Run is the step's operator. Nil does not change the values, only the schema.
	Run Operator
}

// Operator is the action of a step: a [RowMap], [RowFilter], [SequenceMap], [SequenceFilter], [SequenceSplit],
// [RowSequence], [SequenceRows] or [Gather].
type Operator interface{ operator() }

// RowMap returns the row after the step. The function owns the row, and may change and return it. On sequences it runs
// on each of their steps.
type RowMap func(Row) (Row, error)

// RowFilter reports whether a row is kept. It is for rows only: a filter of sequences is a SequenceFilter.
type RowFilter func(Row) (keep bool, err error)

// SequenceMap returns the sequence after the step. The function owns the sequence. Empty results stay in the data.
type SequenceMap func([]Row) ([]Row, error)

// SequenceFilter reports whether a sequence is kept.
type SequenceFilter func([]Row) (keep bool, err error)

// SequenceSplit splits a sequence.
type SequenceSplit func([]Row) ([][]Row, error)

// RowSequence turns each row into a sequence.
type RowSequence func(Row) ([]Row, error)

// SequenceRows turns each sequence into rows.
type SequenceRows func([]Row) ([]Row, error)

// Gather is the operator of a step that needs all data before it returns anything. It returns an empty [Gatherer] for
// each run.
type Gather func() Gatherer

// Gatherer collects rows or sequences.
type Gatherer interface {
	// Add adds the next item. The Gatherer owns it.
	Add(Item) error
	// Finish emits the results, in an order that depends on the order of Add only.
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

// Item is an item of a pipeline's data: a row or, if the schema is for sequences, a sequence of rows. The other field
// is nil.
type Item struct {
	Row      Row
	Sequence []Row
}
