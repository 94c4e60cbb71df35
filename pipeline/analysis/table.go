package analysis

import "github.com/dl4go/dl4go/pipeline"

// Table holds the findings of [Infer] about a table.
type Table struct {
	Rows    int64    `json:"rows"`
	Columns []Column `json:"columns"`
	// Sequence is true if the table consists of sequences, whose steps are the rows.
	Sequence bool `json:"sequence,omitempty"`
	// Label lists the columns that the others were compared with.
	Label []string `json:"label,omitempty"`
	// Missing lists the texts that count as gaps.
	Missing []string `json:"missingTexts"`
	Notices []Notice `json:"notices,omitempty"`
}

// Column holds the findings of [Infer] about a column.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Values is the number of rows with a value, Gaps the number of rows without one.
	Values int64 `json:"values"`
	Gaps   int64 `json:"gaps"`
	// Odd is the number of values that do not fit Kind, such as texts among numbers. They count as gaps.
	Odd int64 `json:"odd,omitempty"`
	// Numbers is the number of numeric values in a column that has other texts, too, and is treated as texts.
	Numbers int64 `json:"numbers,omitempty"`
	// OddPlace is the place of the first text among numbers, or of a text among dates.
	OddPlace string `json:"oddPlace,omitempty"`
	// Distinct is the number of distinct values; an estimate unless Exact.
	Distinct int64 `json:"distinct"`
	Exact    bool  `json:"exact"`
	// Number describes the numbers.
	Number *Number `json:"number,omitempty"`
	// Unit is the unit of almost all values, such as kg; nil without one. Foreign is the number of values in other units,
	// and ForeignTexts has one value for each of these units.
	Unit         *Unit    `json:"unit,omitempty"`
	Foreign      int64    `json:"foreign,omitempty"`
	ForeignTexts []string `json:"foreignTexts,omitempty"`
	// Time describes dates and times.
	Time *Time `json:"time,omitempty"`
	// Arrays describes arrays of numbers.
	Arrays *Arrays `json:"arrays,omitempty"`
	// Categories are the most frequent values, at most 1,000, if they are known.
	Categories []Category `json:"categories,omitempty"`
	// Length describes texts.
	Length *Length `json:"length,omitempty"`
	// Correlations holds the correlations with the labels that are numbers, by label.
	Correlations map[string]float64 `json:"correlations,omitempty"`
	// Determines lists the labels that are completely determined by this column.
	Determines []string `json:"determines,omitempty"`
	// OddTexts lists values that do not fit Kind, at most 20 distinct ones.
	OddTexts []string `json:"oddTexts,omitempty"`
	// GapTexts lists the texts of gaps, including spaces, at most 20; null is the empty text.
	GapTexts []string `json:"gapTexts,omitempty"`
	// typed is the column's type in the source's schema, and states are its states.
	typed  pipeline.ColumnType
	states []string
	texts  *texts // nil if there are too many
	// oddDate is a text in a column of dates that is no date, and its place.
	oddDate oddity
}

// Kind is the kind of values that a column seems to have.
type Kind string

// The kinds of columns.
const (
	Empty       Kind = "empty"       // no value at all
	Constant    Kind = "constant"    // one value, without gaps
	IntegerKind Kind = "integer"     // integers of 32 bits
	LongKind    Kind = "long"        // integers of 64 bits
	DoubleKind  Kind = "double"      // numbers
	BooleanKind Kind = "boolean"     // true and false, yes and no
	TimeKind    Kind = "time"        // dates or times in one format
	Categories  Kind = "categorical" // texts that repeat
	FreeText    Kind = "text"        // sentences, or texts that do not repeat
	Identifier  Kind = "identifier"  // a name or number for each row
	ArrayKind   Kind = "array"       // arrays of numbers
)

// Number describes numbers. Mean, deviation and quantiles are those of the finite numbers.
type Number struct {
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // divided by n−1; 0 for one number
	Zeros     int64   `json:"zeros"`
	Negative  int64   `json:"negative"`
	Infinite  int64   `json:"infinite,omitempty"`
	// Quantiles are the quantiles at the probabilities [Quantiles].
	Quantiles []float64 `json:"quantiles"`
	// Outliers is the number of values more than 3 interquartile ranges below the first or above the third quartile.
	Outliers  int64     `json:"outliers"`
	Histogram Histogram `json:"histogram"`
}

// Quantiles are the probabilities of [Number.Quantiles].
var Quantiles = [...]float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

// Median is the quantile at one half.
func (n *Number) Median() float64 { return n.Quantiles[3] }

// Histogram counts values in buckets of equal width. Bucket i holds Bounds[i] ≤ x < Bounds[i+1]; the last one also
// holds its upper bound.
type Histogram struct {
	Bounds []float64 `json:"bounds"`
	Counts []int64   `json:"counts"`
}

// Length describes texts by their characters and words.
type Length struct {
	Min   int     `json:"min"`
	Max   int     `json:"max"`
	Mean  float64 `json:"mean"`
	Words float64 `json:"words"` // the mean number of words
}

// Time describes dates. Min and Max are milliseconds since 1970, as if all were in UTC.
type Time struct {
	Format string `json:"format"` // Java's and DataVec's pattern: "yyyy-MM-dd"; empty for a column of times
	Min    int64  `json:"min"`
	Max    int64  `json:"max"`
	// Clock is true if the dates have a time of day.
	Clock bool `json:"clock"`
	// dayFirst says that the day and the month may also be swapped.
	dayFirst bool
}

// Column finds a column by name; nil if there is none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}
