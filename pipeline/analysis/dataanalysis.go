package analysis

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// DataAnalysis holds the statistics of a table's columns (org.datavec.api.transform.analysis.DataAnalysis). It is
// written as and read from DataVec's JSON and YAML. Members that DataVec does not have, such as countInfinite, are
// only written if they are not 0; DataVec ignores them.
type DataAnalysis struct {
	Schema pipeline.Schema `dl4j:"schema"`
	// Columns has an analysis for each column of the schema, in its order.
	Columns []ColumnAnalysis `dl4j:"columnAnalysis"`
}

// ColumnAnalysis holds the statistics of one column: [IntegerAnalysis], [LongAnalysis], [DoubleAnalysis],
// [TimeAnalysis], [StringAnalysis], [CategoricalAnalysis], [ArrayAnalysis] or [BytesAnalysis].
type ColumnAnalysis interface {
	// String returns DataVec's text: "IntegerAnalysis(min=-65,…)".
	String() string
	columnAnalysis()
}

var analyses = dl4j.NewClasses[ColumnAnalysis]("analysis")

func init() {
	const pkg = "org.datavec.api.transform.analysis.columns."
	analyses.Register(pkg+"IntegerAnalysis", func() ColumnAnalysis { return &IntegerAnalysis{} })
	analyses.Register(pkg+"LongAnalysis", func() ColumnAnalysis { return &LongAnalysis{} })
	analyses.Register(pkg+"DoubleAnalysis", func() ColumnAnalysis { return &DoubleAnalysis{} })
	analyses.Register(pkg+"TimeAnalysis", func() ColumnAnalysis { return &TimeAnalysis{} })
	analyses.Register(pkg+"StringAnalysis", func() ColumnAnalysis { return &StringAnalysis{} })
	analyses.Register(pkg+"CategoricalAnalysis", func() ColumnAnalysis { return &CategoricalAnalysis{} })
	analyses.Register(pkg+"NDArrayAnalysis", func() ColumnAnalysis { return &ArrayAnalysis{} })
	analyses.Register(pkg+"BytesAnalysis", func() ColumnAnalysis { return &BytesAnalysis{} })
}

// NumberStatistics is the common part of the analyses of numbers. The statistics and the histogram are of the finite
// numbers.
type NumberStatistics struct {
	Mean           float64 `dl4j:"mean"`
	SampleStdev    float64 `dl4j:"sampleStdev"` // divided by n−1; NaN for one number
	SampleVariance float64 `dl4j:"sampleVariance"`
	CountZero      int64   `dl4j:"countZero"`
	CountNegative  int64   `dl4j:"countNegative"`
	CountPositive  int64   `dl4j:"countPositive"` // including zeros
	CountMinValue  int64   `dl4j:"countMinValue"`
	CountMaxValue  int64   `dl4j:"countMaxValue"`
	CountTotal     int64   `dl4j:"countTotal"` // including NaN and infinities, but not missing values
	// CountInfinite and CountMissing do not exist in DataVec.
	CountInfinite         int64     `dl4j:"countInfinite,omitnull,zeronull"`
	CountMissing          int64     `dl4j:"countMissing,omitnull,zeronull"`
	HistogramBuckets      []float64 `dl4j:"histogramBuckets,omitnull"`
	HistogramBucketCounts []int64   `dl4j:"histogramBucketCounts,omitnull"`
	Digest                *Digest   `dl4j:"digest,omitnull"`
}

// IntegerAnalysis analyses an Integer column.
type IntegerAnalysis struct {
	NumberStatistics
	Min int32 `dl4j:"min"`
	Max int32 `dl4j:"max"`
}

// LongAnalysis analyses a Long column. Beyond 2^53, numbers are rounded.
type LongAnalysis struct {
	NumberStatistics
	Min int64 `dl4j:"min"`
	Max int64 `dl4j:"max"`
}

// TimeAnalysis analyses a Time column, in milliseconds since 1970.
type TimeAnalysis struct {
	NumberStatistics
	Min int64 `dl4j:"min"`
	Max int64 `dl4j:"max"`
}

// DoubleAnalysis analyses a Double or Float column.
type DoubleAnalysis struct {
	NumberStatistics
	CountNaN int64   `dl4j:"countNaN"`
	Min      float64 `dl4j:"min"` // of the finite numbers; NaN if there are none
	Max      float64 `dl4j:"max"`
}

// StringAnalysis analyses a String column. Lengths are in UTF-16 units.
type StringAnalysis struct {
	MinLength             int       `dl4j:"minLength"`
	MaxLength             int       `dl4j:"maxLength"`
	MeanLength            float64   `dl4j:"meanLength"`
	SampleStdevLength     float64   `dl4j:"sampleStdevLength"`
	SampleVarianceLength  float64   `dl4j:"sampleVarianceLength"`
	CountTotal            int64     `dl4j:"countTotal"`
	CountMissing          int64     `dl4j:"countMissing,omitnull,zeronull"`
	HistogramBuckets      []float64 `dl4j:"histogramBuckets,omitnull"`
	HistogramBucketCounts []int64   `dl4j:"histogramBucketCounts,omitnull"`
}

// CategoricalAnalysis analyses a Categorical or Boolean column: how often each value occurs, in the order of the
// values, even values that are not states of the column.
type CategoricalAnalysis struct {
	Counts       dl4j.Map[int64] `dl4j:"mapOfCounts"`
	CountMissing int64           `dl4j:"countMissing,omitnull,zeronull"`
}

// ArrayAnalysis analyses an NDArray column.
type ArrayAnalysis struct {
	CountTotal            int64           `dl4j:"countTotal"`
	CountNull             int64           `dl4j:"countNull"`
	MinLength             int64           `dl4j:"minLength"`
	MaxLength             int64           `dl4j:"maxLength"`
	TotalValues           int64           `dl4j:"totalNDArrayValues"`
	CountsByRank          dl4j.Map[int64] `dl4j:"countsByRank"`
	MinValue              float64         `dl4j:"minValue"`
	MaxValue              float64         `dl4j:"maxValue"`
	HistogramBuckets      []float64       `dl4j:"histogramBuckets,omitnull"`
	HistogramBucketCounts []int64         `dl4j:"histogramBucketCounts,omitnull"`
}

// BytesAnalysis analyses a Bytes column.
type BytesAnalysis struct {
	CountTotal      int64 `dl4j:"countTotal"`
	CountNull       int64 `dl4j:"countNull"`
	CountZeroLength int64 `dl4j:"countZeroLength"`
	MinNumBytes     int   `dl4j:"minNumBytes"`
	MaxNumBytes     int   `dl4j:"maxNumBytes"`
}

func (*IntegerAnalysis) columnAnalysis()     {}
func (*LongAnalysis) columnAnalysis()        {}
func (*DoubleAnalysis) columnAnalysis()      {}
func (*TimeAnalysis) columnAnalysis()        {}
func (*StringAnalysis) columnAnalysis()      {}
func (*CategoricalAnalysis) columnAnalysis() {}
func (*ArrayAnalysis) columnAnalysis()       {}
func (*BytesAnalysis) columnAnalysis()       {}

// dataAnalysis is the format of a DataAnalysis in files.
type dataAnalysis DataAnalysis

const dataAnalysisClass = "org.datavec.api.transform.analysis.DataAnalysis"

// MarshalTree returns DataVec's format.
func (a DataAnalysis) MarshalTree() (any, error) {
	tree, err := dl4j.ToTree(dataAnalysis(a))
	if err != nil {
		return nil, err
	}
	return append(dl4j.Object{{Name: "@class", Value: dataAnalysisClass}}, tree.(dl4j.Object)...), nil
}

// UnmarshalTree reads DataVec's format.
func (a *DataAnalysis) UnmarshalTree(tree any) error {
	if o, ok := tree.(dl4j.Object); ok {
		tree = o.Without("@class")
	}
	if err := dl4j.FromTree(tree, (*dataAnalysis)(a)); err != nil {
		return err
	}
	if len(a.Columns) != len(a.Schema.Columns) || slices.Contains(a.Columns, nil) {
		return fmt.Errorf("columnAnalysis has %d columns, schema %d: each needs one", len(a.Columns), len(a.Schema.Columns))
	}
	return nil
}

// ParseDataAnalysis reads DataVec's JSON or YAML.
func ParseDataAnalysis(text []byte) (*DataAnalysis, error) {
	tree, err := dl4j.Parse(string(text))
	if err != nil {
		var yamlErr error
		if tree, yamlErr = dl4j.ParseYAML(string(text)); yamlErr != nil {
			return nil, err
		}
	}
	a := &DataAnalysis{}
	if err := a.UnmarshalTree(tree); err != nil {
		return nil, err
	}
	return a, nil
}

// JSON returns DataVec's JSON.
func (a *DataAnalysis) JSON() ([]byte, error) { return dl4j.Marshal(a) }

// YAML returns DataVec's YAML.
func (a *DataAnalysis) YAML() ([]byte, error) {
	tree, err := dl4j.ToTree(a)
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}
