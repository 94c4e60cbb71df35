package analysis

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// Options are settings of [Propose].
type Options struct {
	// Label lists the columns that a network should learn to predict. Without labels, every column is a feature.
	Label []string
	// Drop lists columns to leave out.
	Drop []string
	// Unlabelled allows rows without a label, which the caller leaves out.
	Unlabelled bool
	// Missing says how to treat gaps in numbers, dates and booleans. With [MissingDrop], rows with a gap in any used
	// column are removed, and so are rows without a label. Gaps in categories are a category of their own, except with
	// MissingDrop and [MissingError]. Empty means [MissingMedian].
	Missing Missing
	// MaxCategories is the number of categories of a column that are distinguished (0: [DefaultCategories]). The rarer
	// ones form one category, together with those that the table does not have.
	MaxCategories int
	// Embed says which columns become category numbers. A MaxCategories of 0 then means [DefaultEmbedded].
	Embed Embed
	// Text says how to treat free text: "refuse" (or empty) makes it an error of [Proposal.Refused], "drop" leaves it
	// out, "hash:N" counts its words in N columns by their hash.
	Text string
	// Classes sets the classes, in their order, and makes the task a classification. If it is empty, the classes are
	// those of the table.
	Classes []string
	// Regression makes the labels numbers to predict.
	Regression bool
	// Words has other words for these fields in errors and reasons, such as "--missing" for "Missing" in a command
	// line.
	Words map[string]string
}

// Word returns how errors and reasons name a field and, unless it is empty, its value: "Missing: drop", or with
// Words "--missing drop".
func (o Options) Word(field, value string) string {
	word, other := o.Words[field]
	switch {
	case other && value != "":
		return word + " " + value
	case other:
		return word
	case value != "":
		return field + ": " + value
	}
	return field
}

// DefaultCategories is the default number of categories of a column that are distinguished.
const DefaultCategories = 20

// Missing says how to treat gaps.
type Missing string

// The ways to treat gaps.
const (
	MissingMedian Missing = "median" // the median fills gaps; another column of 0 and 1 marks them
	MissingMean   Missing = "mean"   // the mean fills gaps; another column of 0 and 1 marks them
	MissingDrop   Missing = "drop"   // rows with gaps are left out
	MissingError  Missing = "error"  // a gap is an error
)

// Task is what a network learns from a table.
type Task string

// The tasks.
const (
	Features       Task = "features"       // there is no label
	Classification Task = "classification" // one column of classes
	MultiLabel     Task = "multi-label"    // several columns of 0 and 1, each independent
	Regression     Task = "regression"     // numbers
)

// Proposal is a pipeline for a table, and its task.
type Proposal struct {
	// Pipeline turns the table's rows into numbers: the Features first, then the Labels. DataVec can read it, unless
	// it hashes text. Its columns are the used columns of the table, in the table's order.
	Pipeline *pipeline.Pipeline
	// Serving is the same pipeline for rows without label columns. It makes only the Features, and does not remove rows
	// because of their labels.
	Serving *pipeline.Pipeline
	// Task is the kind of labels.
	Task Task
	// Features are the names of the resulting feature columns.
	Features []string
	// Embedded are the features that are category numbers, by Options.Embed. They come last.
	Embedded []string
	// Labels are the names of the resulting label columns. A classification has one, with the index of the class.
	// Other tasks have one for each column of Options.Label, in that order.
	Labels []string
	// Classes are the names of the classes of a classification, by index.
	Classes []string
	// Scale holds, for a regression, how each label was standardised, to convert predictions back.
	Scale []Scale
	// Seen holds the values of the used columns of categories and booleans.
	Seen []Seen
	// Numbers lists the columns of numbers that are used.
	Numbers []Numbers
	// Columns says how the pipeline uses each column of the table, in order.
	Columns []Decision
	// Notices lists things that a person should know before training.
	Notices []Notice
}

// Numbers describes values in a column of numbers that are not numbers.
type Numbers struct {
	Column string
	// Gaps lists the texts that the pipeline treats as gaps. Odd is the number of values that are neither numbers nor
	// usual gaps, such as other texts.
	Gaps []string
	Odd  int64
}

// Scale is a standardised column: its values become (x − Mean) / Deviation.
type Scale struct {
	Column    string  `json:"column"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// Raw converts a standardised number to the column's unit.
func (s Scale) Raw(x float64) float64 { return x*s.Deviation + s.Mean }

// Action says what a proposal does with a column.
type Action string

// The actions.
const (
	Use    Action = "use"    // the column is a feature
	Label  Action = "label"  // the column is a label
	Drop   Action = "drop"   // the column is left out
	Refuse Action = "refuse" // a person has to decide: see [Proposal.Refused]
)

// Decision says what happens to a column, and why.
type Decision struct {
	Column string `json:"column"`
	Action Action `json:"action"`
	// Reason is one line: "number, standardised; 2 gaps filled with the median 197".
	Reason string `json:"reason"`
	// Out lists the resulting columns.
	Out []string `json:"out,omitempty"`
}

// Notice is something that a person should know about a column or about the table.
type Notice struct {
	Column string `json:"column,omitempty"` // empty for a column without a name, and for notices about the table
	// Kind is an identifier for programs: "leak", "imbalance", "mixed-types", "ambiguous-date", "gaps", "outliers". The
	// kinds "sequences" and "rows" are about the table.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func (n Notice) String() string {
	if n.Kind == "sequences" || n.Kind == "rows" {
		return n.Text
	}
	return fmt.Sprintf("column %q %s", n.Column, n.Text)
}

// Refused returns an error if the proposal leaves the decision about a column to a person, and nil otherwise. The
// pipeline leaves such columns out.
func (p *Proposal) Refused() error {
	var lines []string
	for _, d := range p.Columns {
		if d.Action == Refuse {
			lines = append(lines, fmt.Sprintf("column %q: %s", d.Column, d.Reason))
		}
	}
	if lines == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}
