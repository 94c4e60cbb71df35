package data

import (
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// epsilon is Nd4j's EPS_THRESHOLD: no standard deviation and no range is taken to be smaller.
const epsilon = 1e-5

// moments accumulates one column's mean and variance, or its range, batch by batch.
type moments struct {
	count        int64
	mean, m2     float64 // mean, and sum of squared distances from it
	lower, upper float32
}

// add joins another set of values (Chan, Golub and LeVeque's formula).
func (m *moments) add(o moments) {
	if o.count == 0 {
		return
	}
	if m.count == 0 {
		*m = o
		return
	}
	n := float64(m.count + o.count)
	d := o.mean - m.mean
	m.m2 += o.m2 + d*d*float64(m.count)*float64(o.count)/n
	m.mean += d * float64(o.count) / n
	m.count += o.count
	m.lower, m.upper = min(m.lower, o.lower), max(m.upper, o.upper)
}

// columns accumulates the moments of each column of an array: over the examples, over the time steps that the mask
// shows, or over the pixels.
type columns []moments

func (c *columns) add(a, mask *tensor.Dense) {
	if *c == nil {
		*c = make(columns, a.Shape[1])
	}
	batch := make([]moments, a.Shape[1])
	if len(a.Shape) != 3 {
		mask = nil
	}
	visit := func(f func(m *moments, x float32)) {
		each(a, func(row, column int, run []float32) {
			var show []float32
			if mask != nil {
				show = maskRow(a, mask, row, column)
			}
			for t, x := range run {
				if show == nil || show[t] != 0 {
					f(&batch[column], x)
				}
			}
		})
	}
	visit(func(m *moments, x float32) {
		if m.count == 0 {
			m.lower, m.upper = x, x
		}
		m.count++
		m.mean += float64(x)
		m.lower, m.upper = min(m.lower, x), max(m.upper, x)
	})
	for i := range batch {
		if batch[i].count > 0 {
			batch[i].mean /= float64(batch[i].count)
		}
	}
	visit(func(m *moments, x float32) {
		d := float64(x) - m.mean
		m.m2 += d * d
	})
	for i := range batch {
		(*c)[i].add(batch[i])
	}
}

// ColumnStatistics are the statistics of an array, with one number per column: means and standard deviations for
// Standardize, minima and maxima for MinMax. Both are nil if there are none.
type ColumnStatistics struct{ First, Second []float32 }

// statistics returns the statistics that the strategy needs.
func (c columns) statistics(kind ScalerKind) ColumnStatistics {
	s := ColumnStatistics{make([]float32, len(c)), make([]float32, len(c))}
	for i, m := range c {
		if kind == Standardize {
			s.First[i] = float32(m.mean)
			s.Second[i] = float32(math.Sqrt(m.m2 / float64(m.count))) // of the population
		} else {
			s.First[i], s.Second[i] = m.lower, m.upper
		}
	}
	s.widen(kind)
	return s
}

// widen prevents standard deviations and ranges of zero. From 256 on, a float32 plus epsilon is the same float32:
// there a range is at least one step of the numbers.
func (s ColumnStatistics) widen(kind ScalerKind) {
	for i, x := range s.First {
		if kind == Standardize {
			s.Second[i] = max(s.Second[i], epsilon)
		} else if d := s.Second[i] - x; d < epsilon {
			s.Second[i] = max(s.Second[i]+epsilon-d, math.Nextafter32(x, float32(math.Inf(1))))
		}
	}
}

// ScalerKind is a way to scale columns.
type ScalerKind int32

// The values are those of Deeplearning4j's files.
const (
	Unscaled    ScalerKind = 0 // the array stays as it is
	Standardize ScalerKind = 1 // x → (x − mean) / standard deviation
	MinMax      ScalerKind = 2 // x → (x − min) / (max − min) · (Max − Min) + Min
)

// ScalerStrategy says how an array is scaled.
type ScalerStrategy struct {
	Kind     ScalerKind
	Min, Max float64 // the target range of MinMax
}

// halved returns the beginning and the width of a range times a factor: 1, or 1/2 if the width exceeds float32.
func halved(lower, upper float32) (first, width, factor float32) {
	if width = upper - lower; !math.IsInf(float64(width), 0) {
		return lower, width, 1
	}
	return lower / 2, upper/2 - lower/2, 0.5
}

func (s ScalerStrategy) transform(a, mask *tensor.Dense, stats ColumnStatistics) {
	target, offset := float32(s.Max-s.Min), float32(s.Min)
	each(a, func(_, column int, run []float32) {
		first, second := stats.First[column], stats.Second[column]
		if s.Kind == Standardize {
			for i, x := range run {
				run[i] = (x - first) / second
			}
			return
		}
		first, width, half := halved(first, second)
		for i, x := range run {
			run[i] = (x*half-first)/width*target + offset
		}
	})
	zeroMasked(a, mask)
}

func (s ScalerStrategy) revert(a, mask *tensor.Dense, stats ColumnStatistics) {
	target, offset := float32(s.Max-s.Min), float32(s.Min)
	each(a, func(_, column int, run []float32) {
		first, second := stats.First[column], stats.Second[column]
		if s.Kind == Standardize {
			for i, x := range run {
				run[i] = x*second + first
			}
			return
		}
		first, width, half := halved(first, second)
		for i, x := range run {
			run[i] = ((x-offset)/target*width + first) / half
		}
	})
	zeroMasked(a, mask)
}
