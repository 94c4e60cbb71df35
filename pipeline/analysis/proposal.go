package analysis

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// Options say what [Propose] should make of a table.
type Options struct {
	// Label are the columns that a network should learn to tell; none leaves every column a feature.
	Label []string
	// Drop are columns to leave out.
	Drop []string
	// Missing says what becomes of gaps in numbers, dates and booleans. With [MissingDrop], rows with a gap in any column
	// that is used go, and rows without a label too. Gaps in categories are a category of their own, but with MissingDrop
	// and [MissingError]. Empty is [MissingMedian].
	Missing Missing
	// MaxCategories is how many categories of a column are told apart (0: [DefaultCategories]). The rarer ones are one
	// category together, and so are those that the table lacks.
	MaxCategories int
	// Embed says which columns become numbers of categories. MaxCategories is then 0 for [DefaultEmbedded].
	Embed Embed
	// Text says what becomes of free text: "refuse" (or empty) makes it an error of [Proposal.Refused], "drop" leaves it
	// out, "hash:N" counts its words in N columns by their hash.
	Text string
	// Classes fixes the classes of a classification, in their order; it makes it a classification. Empty takes those of
	// the table.
	Classes []string
	// Regression makes the labels numbers to be met.
	Regression bool
}

// DefaultCategories is how many categories of a column are told apart.
const DefaultCategories = 20

// Missing says what becomes of gaps.
type Missing string

// What may become of gaps.
const (
	MissingMedian Missing = "median" // the column's median, and a column of 0 and 1 says where it stands for a gap
	MissingMean   Missing = "mean"   // the column's mean, likewise
	MissingDrop   Missing = "drop"   // rows with gaps are left out
	MissingError  Missing = "error"  // a gap is an error
)

// Task is what a network learns of a table.
type Task string

// The tasks.
const (
	Features       Task = "features"       // there is no label
	Classification Task = "classification" // one column of classes
	MultiLabel     Task = "multi-label"    // several columns of 0 and 1, each on its own
	Regression     Task = "regression"     // numbers
)

// Proposal is a pipeline for a table, and its task.
type Proposal struct {
	// Pipeline makes numbers of the table's rows: the Features first, then the Labels. DataVec reads it, unless it hashes
	// text. Its columns are all of the table that are used, in the table's order: others are not in it.
	Pipeline *pipeline.Pipeline
	// Serving is the same for rows without label columns; it gives the Features alone. It drops no rows because of labels.
	Serving *pipeline.Pipeline
	// Task is the kind of labels.
	Task Task
	// Features are the names of the columns of features that come out.
	Features []string
	// Embedded are those of them that are numbers of categories, by Options.Embed. They come last.
	Embedded []string
	// Labels are the names of the columns of labels that come out. A classification has one, of the index of the class;
	// the others have one for each column of Options.Label, in that order.
	Labels []string
	// Classes are the names of the classes of a classification, by index.
	Classes []string
	// Scale has, for a regression, how each label was standardised; answers come back in their unit by it.
	Scale []Scale
	// Seen are the values of the columns of categories and truth values that are used.
	Seen []Seen
	// Columns say what becomes of each column of the table, in its order.
	Columns []Decision
	// Notices are what a person should know before training.
	Notices []Notice
}

// Scale is a standardised column: what comes out is (x − Mean) / Deviation.
type Scale struct {
	Column    string  `json:"column"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// Raw returns a standardised number in the column's unit.
func (s Scale) Raw(x float64) float64 { return x*s.Deviation + s.Mean }

// Action is what a proposal does with a column.
type Action string

// The actions.
const (
	Use    Action = "use"    // the column is a feature
	Label  Action = "label"  // the column is a label
	Drop   Action = "drop"   // the column is left out
	Refuse Action = "refuse" // somebody has to decide: see [Proposal.Refused]
)

// Decision says what becomes of a column, and why.
type Decision struct {
	Column string `json:"column"`
	Action Action `json:"action"`
	// Reason is one line: "number, standardised; 2 gaps filled with the median 197".
	Reason string `json:"reason"`
	// Out are the columns that come out of it.
	Out []string `json:"out,omitempty"`
}

// Notice is something about a column, or about the table where Column is empty, that a person should know.
type Notice struct {
	Column string `json:"column,omitempty"`
	// Kind is a word for programs: "leak", "imbalance", "mixed-types", "ambiguous-date", "gaps", "outliers".
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func (n Notice) String() string {
	if n.Column == "" {
		return n.Text
	}
	return fmt.Sprintf("column %q %s", n.Column, n.Text)
}

// Refused is an error where the proposal leaves a column to a person to decide, and nil otherwise. The pipeline leaves
// such columns out.
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
