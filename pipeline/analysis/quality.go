package analysis

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// Quality counts the valid values of a table's columns (org.datavec.api.transform.quality.DataQualityAnalysis).
type Quality struct {
	Columns []ColumnQuality `json:"columns"`
}

// ColumnQuality holds the counts of a column. A value is valid if its column allows it. Otherwise it is missing if it
// is null or the empty text, and else invalid. In String columns the empty text is never missing. The other counts are
// over all values except null; they are nil if they do not apply to the type of the column.
type ColumnQuality struct {
	Column  string              `json:"column"`
	Type    pipeline.ColumnType `json:"type"`
	Valid   int64               `json:"valid"`
	Invalid int64               `json:"invalid"`
	Missing int64               `json:"missing"`
	Total   int64               `json:"total"`

	NonInteger *int64 `json:"non_integer,omitempty"` // not a text of a 32-bit integer
	NonLong    *int64 `json:"non_long,omitempty"`
	NonReal    *int64 `json:"non_real,omitempty"`
	NaN        *int64 `json:"nan,omitempty"`
	Infinite   *int64 `json:"infinite,omitempty"`

	Empty          *int64 `json:"empty,omitempty"`
	Alphabetic     *int64 `json:"alphabetic,omitempty"`      // only A to Z and a to z
	Numerical      *int64 `json:"numerical,omitempty"`       // only 0 to 9
	WordCharacters *int64 `json:"word_characters,omitempty"` // only these and _
	WhitespaceOnly *int64 `json:"whitespace_only,omitempty"`
	// Unique is the number of distinct texts; an estimate above ExactDistinct.
	Unique *int64 `json:"approximate_unique,omitempty"`
}

// CheckQuality reads a table and counts the values that fit the types of its schema. Of the options, it only uses
// Exact.
func CheckQuality(in Reader, o AnalyzeOptions) (*Quality, error) {
	c := NewQualityChecker(in.Schema(), o)
	if err := readAll(in, c.Add); err != nil {
		return nil, err
	}
	return c.Quality(), nil
}

// QualityChecker is [CheckQuality] row by row. Only one goroutine may use it.
type QualityChecker struct {
	valid   []func(pipeline.Value) bool
	columns []ColumnQuality
	texts   []*texts // of String columns
}

// NewQualityChecker returns a QualityChecker that has no rows yet.
func NewQualityChecker(schema *pipeline.Schema, o AnalyzeOptions) *QualityChecker {
	limit := o.Exact
	if limit <= 0 {
		limit = exactFor(len(schema.Columns))
	}
	c := &QualityChecker{make([]func(pipeline.Value) bool, len(schema.Columns)),
		make([]ColumnQuality, len(schema.Columns)), make([]*texts, len(schema.Columns))}
	for i, column := range schema.Columns {
		c.valid[i] = pipeline.Validator(column)
		q := &c.columns[i]
		q.Column, q.Type = column.Title(), column.Type()
		for _, count := range q.counts() {
			*count.at = new(int64)
		}
		c.texts[i] = newTexts(limit, textBytes)
	}
	return c
}

// extraCount is one of a column's own counts, with the name that DataVec prints.
type extraCount struct {
	name string
	at   **int64
}

func (q *ColumnQuality) counts() []extraCount {
	switch q.Type {
	case pipeline.IntegerType:
		return []extraCount{{"countNonInteger", &q.NonInteger}}
	case pipeline.LongType:
		return []extraCount{{"countNonLong", &q.NonLong}}
	case pipeline.DoubleType, pipeline.FloatType:
		return []extraCount{{"countNonReal", &q.NonReal}, {"countNaN", &q.NaN}, {"countInfinite", &q.Infinite}}
	case pipeline.StringType:
		return []extraCount{{"countEmptyString", &q.Empty}, {"countAlphabetic", &q.Alphabetic},
			{"countNumerical", &q.Numerical}, {"countWordCharacter", &q.WordCharacters}, {"countWhitespace", &q.WhitespaceOnly},
			{"countApproxUnique", &q.Unique}}
	}
	return nil
}

// Add adds a row, or the rows of a sequence.
func (c *QualityChecker) Add(i pipeline.Item) error {
	rows := i.Sequence
	if rows == nil {
		rows = []pipeline.Row{i.Row}
	}
	for _, row := range rows {
		if len(row) != len(c.columns) {
			return fmt.Errorf("a row with %d values: the schema has %d columns", len(row), len(c.columns))
		}
		for k, v := range row {
			c.columns[k].add(c.valid[k], v)
			if v.Kind() != pipeline.NullKind && c.columns[k].Type == pipeline.StringType {
				if c.texts[k].add(v.String(), 1, 0); c.texts[k].full() {
					c.texts[k].forget()
				}
			}
		}
	}
	return nil
}

func (q *ColumnQuality) add(valid func(pipeline.Value) bool, v pipeline.Value) {
	q.Total++
	text := v.String()
	isString := q.Type == pipeline.StringType
	switch {
	case isString && v.IsNull():
		q.Missing++
	case valid(v):
		q.Valid++
	case v.IsNull(), !isString && v.IsText() && text == "":
		q.Missing++
	default:
		q.Invalid++
	}
	if v.IsNull() {
		return
	}
	switch q.Type {
	case pipeline.IntegerType:
		countIf(q.NonInteger, !pipeline.IntegerColumn{}.Valid(v))
	case pipeline.LongType:
		countIf(q.NonLong, !pipeline.LongColumn{}.Valid(v))
	case pipeline.DoubleType, pipeline.FloatType:
		if strings.HasPrefix(text, "0x") {
			v = pipeline.Text(" " + text) // steps read an integer, but this counter asks for Java's real numbers: 0x1p3
		}
		x, err := v.Double()
		if err != nil {
			*q.NonReal++
			return
		}
		countIf(q.NaN, math.IsNaN(x))
		countIf(q.Infinite, math.IsInf(x, 0))
	case pipeline.StringType:
		countIf(q.Empty, text == "")
		countIf(q.Alphabetic, alphabetic.MatchString(text))
		countIf(q.Numerical, numerical.MatchString(text))
		countIf(q.WordCharacters, wordCharacters.MatchString(text))
		countIf(q.WhitespaceOnly, whitespace.MatchString(text))
	}
}

var (
	alphabetic     = regexp.MustCompile(`\A[a-zA-Z]+\z`)
	numerical      = regexp.MustCompile(`\A\d+\z`)
	wordCharacters = regexp.MustCompile(`\A\w+\z`)
	whitespace     = regexp.MustCompile(`\A[\s\v]+\z`)
)

func countIf(n *int64, holds bool) {
	if holds {
		*n++
	}
}

// Merge adds the rows of another QualityChecker with the same schema and options.
func (c *QualityChecker) Merge(o *QualityChecker) {
	for i := range c.columns {
		q, p := &c.columns[i], &o.columns[i]
		q.Valid += p.Valid
		q.Invalid += p.Invalid
		q.Missing += p.Missing
		q.Total += p.Total
		of := p.counts()
		for k, count := range q.counts() {
			**count.at += **of[k].at
		}
		c.texts[i].merge(o.texts[i])
	}
}

// Quality returns the counts of the rows so far.
func (c *QualityChecker) Quality() *Quality {
	all := make([]ColumnQuality, len(c.columns))
	for i, q := range c.columns {
		for _, count := range q.counts() {
			n := **count.at
			*count.at = &n
		}
		if q.Unique != nil {
			*q.Unique = c.texts[i].distinct()
		}
		all[i] = q
	}
	return &Quality{all}
}

// String returns DataVec's printed form: a line for each column.
func (q *Quality) String() string {
	var lines []line
	for i := range q.Columns {
		c := &q.Columns[i]
		verdict := "ok"
		if c.Invalid > 0 || c.Missing > 0 {
			verdict = "FAIL"
		}
		text := fmt.Sprintf("%sQuality(countValid=%d, countInvalid=%d, countMissing=%d, countTotal=%d", c.Type, c.Valid,
			c.Invalid,
			c.Missing, c.Total)
		for _, count := range c.counts() {
			text += fmt.Sprintf(", %s=%d", count.name, **count.at)
		}
		lines = append(lines, line{c.Column, string(c.Type), fmt.Sprintf("%-10s", verdict), text + ")"})
	}
	return printedTable([2]string{fmt.Sprintf("%-10s", "quality"), "details"}, lines)
}
