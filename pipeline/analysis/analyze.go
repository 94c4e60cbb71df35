package analysis

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// AnalyzeOptions are settings of [Analyze] and [CheckQuality]. The zero value has DataVec's defaults.
type AnalyzeOptions struct {
	// Buckets is the number of buckets of histograms (0: 30).
	Buckets int
	// Missing lists texts that are counted as missing values and ignored. By default, a text that does not fit its
	// column is an error, as in DataVec. If Missing is not empty, null is missing, too; otherwise it is an error in
	// columns of numbers.
	Missing []string
	// Exact is the number of distinct values of a column that are counted exactly (0: ExactDistinct).
	Exact int
}

// Analyze reads a table and returns the statistics of its columns, whose types are in its schema. Each step of a
// sequence counts as a row. A value that does not fit its column is an error that names its place. Histograms are
// exact for columns of up to [ExactDistinct] distinct numbers. With more, numbers with the same leading digits count
// at the middle of their range.
func Analyze(in Reader, o AnalyzeOptions) (*DataAnalysis, error) {
	a := NewAnalyzer(in.Schema(), o)
	if err := readAll(in, a.Add); err != nil {
		return nil, err
	}
	return a.Analysis(), nil
}

// readAll passes each item of a table to add.
func readAll(in Reader, add func(pipeline.Item) error) error {
	for {
		item, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := add(item); err != nil {
			return fmt.Errorf("%s: %w", in.Place(), err)
		}
	}
}

// Analyzer is [Analyze] row by row. Only one goroutine may use it.
type Analyzer struct {
	schema  *pipeline.Schema
	buckets int
	missing map[string]bool
	columns []*counter
}

// NewAnalyzer returns an Analyzer that has no rows yet.
func NewAnalyzer(schema *pipeline.Schema, o AnalyzeOptions) *Analyzer {
	a := &Analyzer{schema: schema, buckets: o.Buckets}
	if o.Buckets <= 0 {
		a.buckets = 30
	}
	if len(o.Missing) > 0 {
		a.missing = map[string]bool{}
		for _, s := range o.Missing {
			a.missing[s] = true
		}
	}
	limit := o.Exact
	if limit <= 0 {
		limit = exactFor(len(schema.Columns))
	}
	for _, c := range schema.Columns {
		a.columns = append(a.columns, newCounter(c, limit))
	}
	return a
}

// Add adds a row, or the rows of a sequence.
func (a *Analyzer) Add(i pipeline.Item) error {
	if i.Sequence == nil {
		return a.row(i.Row)
	}
	for _, row := range i.Sequence {
		if err := a.row(row); err != nil {
			return err
		}
	}
	return nil
}

func (a *Analyzer) row(row pipeline.Row) error {
	if len(row) != len(a.columns) {
		return fmt.Errorf("a row with %d values: the schema has %d columns", len(row), len(a.columns))
	}
	for i, v := range row {
		c := a.columns[i]
		if a.missing != nil && (v.IsNull() || v.IsText() && a.missing[v.String()]) {
			c.missing++
			continue
		}
		if err := c.add(v); err != nil {
			return fmt.Errorf("column %q: %w", c.column.Title(), err)
		}
	}
	return nil
}

// Merge adds the rows of another Analyzer with the same schema and options.
func (a *Analyzer) Merge(o *Analyzer) {
	for i, c := range a.columns {
		c.merge(o.columns[i])
	}
}

// Analysis returns the statistics of the rows so far.
func (a *Analyzer) Analysis() *DataAnalysis {
	d := &DataAnalysis{Schema: *a.schema}
	for _, c := range a.columns {
		d.Columns = append(d.Columns, c.analysis(a.buckets))
	}
	return d
}

// counter collects the values of a column of a known type.
type counter struct {
	column            pipeline.Column
	missing, total    int64
	nan, infinite     int64
	zero              int64
	positive, below   int64 // below: negative
	min, max          float64
	atMin, atMax      int64
	moments           moments
	numbers           *numbers // numbers, lengths, or elements of arrays
	texts             map[string]int64
	null              int64
	ranks             map[int]int64
	shortest, longest int64
}

func newCounter(c pipeline.Column, limit int) *counter {
	return &counter{column: c, numbers: newNumbers(limit), texts: map[string]int64{}, ranks: map[int]int64{},
		min: math.Inf(1), max: math.Inf(-1), shortest: math.MaxInt64}
}

// maxStates is the maximum number of different values of a Categorical column.
const maxStates = 1_000_000

func (c *counter) add(v pipeline.Value) error {
	switch c.column.Type() {
	case pipeline.StringType:
		if v.IsNull() {
			c.missing++
			return nil
		}
		c.total++
		c.number(float64(utf16Length(v.String())))
	case pipeline.CategoricalType, pipeline.BooleanType:
		return c.state(v)
	case pipeline.ArrayType:
		return c.array(v)
	case pipeline.BytesType:
		return c.bytes(v)
	default:
		own, err := c.column.Convert(v)
		if err != nil {
			return err
		}
		x, err := own.Double()
		if err != nil {
			return err
		}
		c.total++
		c.number(x)
	}
	return nil
}

func (c *counter) number(x float64) {
	switch {
	case math.IsNaN(x):
		c.nan++
		return
	case x >= 0:
		c.positive++
	default:
		c.below++
	}
	if math.IsInf(x, 0) {
		c.infinite++
		return
	}
	if x == 0 {
		c.zero++
	}
	c.extremes(x, 1, x, 1)
	c.moments.add(x)
	c.numbers.add(x, 0)
}

// extremes updates the least and the greatest value with other ones and their counts.
func (c *counter) extremes(low float64, atLow int64, high float64, atHigh int64) {
	if low < c.min {
		c.min, c.atMin = low, 0
	}
	if low == c.min {
		c.atMin += atLow
	}
	if high > c.max {
		c.max, c.atMax = high, 0
	}
	if high == c.max {
		c.atMax += atHigh
	}
}

func (c *counter) state(v pipeline.Value) error {
	if v.IsNull() {
		c.missing++
		return nil
	}
	if c.column.Type() == pipeline.BooleanType {
		own, err := c.column.Convert(v)
		if err != nil {
			return err
		}
		v = own
	}
	c.total++
	s := v.String()
	if c.texts[s]++; len(c.texts) > maxStates {
		return fmt.Errorf("more than %d distinct values: a Categorical column has few; make it a String column", maxStates)
	}
	return nil
}

func (c *counter) array(v pipeline.Value) error {
	c.total++
	if v.IsNull() {
		c.null++
		return nil
	}
	if _, err := c.column.Convert(v); err != nil {
		return err
	}
	a := v.Array()
	c.ranks[len(a.Shape)]++
	c.length(int64(len(a.Data)))
	for _, x := range a.Data {
		c.number(x)
	}
	return nil
}

func (c *counter) length(n int64) { c.shortest, c.longest = min(c.shortest, n), max(c.longest, n) }

func (c *counter) bytes(v pipeline.Value) error {
	c.total++
	if v.IsNull() {
		c.null++
		return nil
	}
	if _, err := c.column.Convert(v); err != nil {
		return err
	}
	n := int64(len(v.String()))
	if n == 0 {
		c.zero++
	}
	c.length(n)
	return nil
}

func (c *counter) merge(o *counter) {
	c.missing += o.missing
	c.total += o.total
	c.nan += o.nan
	c.infinite += o.infinite
	c.zero += o.zero
	c.positive += o.positive
	c.below += o.below
	c.extremes(o.min, o.atMin, o.max, o.atMax)
	c.moments.merge(&o.moments)
	c.numbers.merge(o.numbers)
	for s, n := range o.texts {
		c.texts[s] += n
	}
	c.null += o.null
	for rank, n := range o.ranks {
		c.ranks[rank] += n
	}
	c.shortest, c.longest = min(c.shortest, o.shortest), max(c.longest, o.longest)
}

func utf16Length(s string) (n int) {
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// sortedKeys returns a map's keys in order.
func sortedKeys[K int | string](m map[K]int64) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
