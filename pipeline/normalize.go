package pipeline

import (
	"fmt"
	"math"
)

// MinMaxNormalizer maps the range Min to Max to NewMin to NewMax (doubletransform.MinMaxNormalizer). NaN becomes 0.
type MinMaxNormalizer struct {
	Column string  `dl4j:"columnName"`
	Min    float64 `dl4j:"min"`
	Max    float64 `dl4j:"max"`
	NewMin float64 `dl4j:"newMin"`
	NewMax float64 `dl4j:"newMax"`
}

// StandardizeNormalizer subtracts the mean and divides by the deviation (doubletransform.StandardizeNormalizer).
type StandardizeNormalizer struct {
	Column string  `dl4j:"columnName"`
	Mean   float64 `dl4j:"mean"`
	Stdev  float64 `dl4j:"stdev"`
}

// SubtractMeanNormalizer subtracts the mean (doubletransform.SubtractMeanNormalizer).
type SubtractMeanNormalizer struct {
	Column string  `dl4j:"columnName"`
	Mean   float64 `dl4j:"mean"`
}

// Log2Normalizer is Scaling·log2((x-Min)/(Mean-Min)+1) (doubletransform.Log2Normalizer). NaN becomes 0.
type Log2Normalizer struct {
	Column  string  `dl4j:"columnName"`
	Mean    float64 `dl4j:"columnMean"`
	Min     float64 `dl4j:"columnMin"`
	Scaling float64 `dl4j:"scalingFactor"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.doubletransform."
	RegisterTransform(pkg+"MinMaxNormalizer", func() Transform { return MinMaxNormalizer{NewMax: 1} })
	RegisterTransform(pkg+"StandardizeNormalizer", func() Transform { return StandardizeNormalizer{} })
	RegisterTransform(pkg+"SubtractMeanNormalizer", func() Transform { return SubtractMeanNormalizer{} })
	RegisterTransform(pkg+"Log2Normalizer", func() Transform { return Log2Normalizer{Scaling: 0.5} })
}

// Bind finds the column.
func (s MinMaxNormalizer) Bind(in *Schema) (Bound, error) {
	ratio := (s.NewMax - s.NewMin) / (s.Max - s.Min)
	column := func(c Column) Column {
		return DoubleColumn{Name: c.Title(), Min: new(s.NewMin), Max: new(s.NewMax)}
	}
	b, err := mapDouble(in, s.Column, column, func(x float64) float64 {
		if x != x {
			return 0
		}
		return float64(ratio*(x-s.Min)) + s.NewMin
	})
	if m, ok := b.Run.(*cellMap); ok {
		m.scale = func(x []float64) {
			ratio, low, to := ratio, s.Min, s.NewMin
			for i, v := range x {
				y := float64(ratio*(v-low)) + to
				if v != v {
					y = 0
				}
				x[i] = y
			}
		}
	}
	return b, err
}

// Bind finds the column.
func (s StandardizeNormalizer) Bind(in *Schema) (Bound, error) {
	b, err := mapDouble(in, s.Column, asDouble, func(x float64) float64 { return (x - s.Mean) / s.Stdev })
	if m, ok := b.Run.(*cellMap); ok {
		m.scale = func(x []float64) {
			mean, stdev := s.Mean, s.Stdev
			for i, v := range x {
				x[i] = (v - mean) / stdev
			}
		}
	}
	return b, err
}

// Bind finds the column.
func (s SubtractMeanNormalizer) Bind(in *Schema) (Bound, error) {
	return mapDouble(in, s.Column, asDouble, func(x float64) float64 { return x - s.Mean })
}

// Bind finds the column.
func (s Log2Normalizer) Bind(in *Schema) (Bound, error) {
	column := func(c Column) Column { return DoubleColumn{Name: c.Title(), Min: new(0.0)} }
	return mapDouble(in, s.Column, column, func(x float64) float64 {
		if x != x {
			return 0
		}
		return s.Scaling * math.Log2((x-s.Min)/(s.Mean-s.Min)+1)
	})
}

// Normalization is a kind of normalizer whose settings come from a column's statistics
// (org.datavec.api.transform.transform.normalize.Normalize).
type Normalization string

// The kinds.
const (
	NormalizeMinMax               Normalization = "MinMax"               // to 0 to 1
	NormalizeMinMax2              Normalization = "MinMax2"              // to -1 to 1
	NormalizeStandardize          Normalization = "Standardize"          // with the sample deviation
	NormalizeSubtractMean         Normalization = "SubtractMean"         // to the mean 0
	NormalizeLog2Mean             Normalization = "Log2Mean"             // with the scaling factor 0.5
	NormalizeLog2MeanExcludingMin Normalization = "Log2MeanExcludingMin" // with the mean above the minimum
)

// Statistics are the statistics of a column that a [Normalization] needs.
type Statistics struct {
	Count       int64 // number of values
	CountMin    int64 // number of values equal to Min
	Min, Max    float64
	Mean        float64
	SampleStdev float64 // with Count-1 in its divisor
}

// Normalize makes the step that normalizes a column by its statistics, like TransformProcess.Builder.normalize. A
// column whose numbers are all equal is an error, because the divisor would be zero. SubtractMean has no divisor.
func Normalize(column string, kind Normalization, of Statistics) (Transform, error) {
	if of.Count < 1 {
		return nil, fmt.Errorf("column %q has no numbers to normalize by", column)
	}
	if kind != NormalizeSubtractMean && !(of.Max > of.Min) {
		return nil, fmt.Errorf("column %q has the single value %v, and %s would divide by zero: remove the column",
			column, of.Min, kind)
	}
	switch kind {
	case NormalizeMinMax:
		return MinMaxNormalizer{Column: column, Min: of.Min, Max: of.Max, NewMin: 0, NewMax: 1}, nil
	case NormalizeMinMax2:
		return MinMaxNormalizer{Column: column, Min: of.Min, Max: of.Max, NewMin: -1, NewMax: 1}, nil
	case NormalizeStandardize:
		return StandardizeNormalizer{column, of.Mean, of.SampleStdev}, nil
	case NormalizeSubtractMean:
		return SubtractMeanNormalizer{column, of.Mean}, nil
	case NormalizeLog2Mean:
		return Log2Normalizer{column, of.Mean, of.Min, 0.5}, nil
	case NormalizeLog2MeanExcludingMin:
		n := float64(of.Count - of.CountMin)
		mean := (of.Mean*float64(of.Count) - of.Min*float64(of.CountMin)) / n
		return Log2Normalizer{column, mean, of.Min, 0.5}, nil
	}
	return nil, fmt.Errorf("%q is not a kind of normalization: there are MinMax, MinMax2, Standardize, SubtractMean, "+
		"Log2Mean and Log2MeanExcludingMin", string(kind))
}
