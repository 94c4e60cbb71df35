package analysis

import (
	"math"
	"strconv"

	"github.com/dl4go/dl4go/pipeline"
)

// analysis converts the counts to DataVec's analysis.
func (c *counter) analysis(buckets int) ColumnAnalysis {
	values := c.numbers.sorted(c.min, c.max)
	h := Histogram{}
	if len(values) > 0 {
		h = histogram(values, c.min, c.max, buckets)
	}
	variance := c.moments.variance()
	switch c.column.Type() {
	case pipeline.StringType:
		return &StringAnalysis{
			MinLength: int(c.least()), MaxLength: int(c.most()), MeanLength: c.moments.mean(),
			SampleStdevLength:    math.Sqrt(variance),
			SampleVarianceLength: variance, CountTotal: c.total, CountMissing: c.missing, HistogramBuckets: h.Bounds,
			HistogramBucketCounts: h.Counts,
		}
	case pipeline.CategoricalType, pipeline.BooleanType:
		a := &CategoricalAnalysis{CountMissing: c.missing}
		for _, s := range sortedKeys(c.texts) {
			a.Counts.Set(s, c.texts[s])
		}
		return a
	case pipeline.ArrayType:
		return c.arrays(h)
	case pipeline.BytesType:
		return &BytesAnalysis{c.total, c.null, c.zero, int(c.shortestOrZero()), int(c.longest)}
	}
	s := NumberStatistics{
		Mean: c.moments.mean(), SampleStdev: math.Sqrt(variance), SampleVariance: variance, CountZero: c.zero,
		CountNegative: c.below, CountPositive: c.positive, CountMinValue: c.atMin, CountMaxValue: c.atMax,
		CountTotal:    c.total,
		CountInfinite: c.infinite, CountMissing: c.missing, HistogramBuckets: h.Bounds, HistogramBucketCounts: h.Counts,
		Digest: newDigest(values),
	}
	switch c.column.Type() {
	case pipeline.IntegerType:
		return &IntegerAnalysis{s, int32(c.least()), int32(c.most())}
	case pipeline.LongType:
		return &LongAnalysis{s, whole(c.least()), whole(c.most())}
	case pipeline.TimeType:
		return &TimeAnalysis{s, whole(c.least()), whole(c.most())}
	}
	d := &DoubleAnalysis{s, c.nan, c.min, c.max}
	if c.moments.n == 0 {
		d.Min, d.Max = math.NaN(), math.NaN()
	}
	return d
}

// least returns the least number, or 0 without numbers.
func (c *counter) least() float64 {
	if c.moments.n == 0 {
		return 0
	}
	return c.min
}

// most returns the greatest number, or 0 without numbers.
func (c *counter) most() float64 {
	if c.moments.n == 0 {
		return 0
	}
	return c.max
}

func (c *counter) shortestOrZero() int64 {
	if c.shortest > c.longest {
		return 0
	}
	return c.shortest
}

// whole converts a number to an integer, like Java's cast.
func whole(x float64) int64 {
	n, _ := pipeline.Double(x).Long()
	return n
}

func (c *counter) arrays(h Histogram) ColumnAnalysis {
	a := &ArrayAnalysis{
		CountTotal: c.total, CountNull: c.null, MinLength: c.shortestOrZero(), MaxLength: c.longest,
		TotalValues: c.moments.n + c.nan + c.infinite, MinValue: c.least(), MaxValue: c.most(),
		HistogramBuckets: h.Bounds, HistogramBucketCounts: h.Counts,
	}
	for _, rank := range sortedKeys(c.ranks) {
		a.CountsByRank.Set(strconv.Itoa(rank), c.ranks[rank])
	}
	return a
}
