package data

import (
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/tensor"
)

// Scaler scales each column of the features, and of the labels if it is set up for that, by statistics of the data.
// Columns are dimension 1: the columns of a table, the features of a time series, the channels of an image. The
// statistics of a time series are over all examples and unmasked time steps. Masked time steps become 0, whatever they
// held.
//
// Standard deviations are those of the population. Both they and the ranges of MinMax are at least 1e-5. Above 256,
// where neighbouring float32 numbers are farther apart than that, a range is at least one such step. Deeplearning4j
// differs: it divides by zero there.
//
// It is Deeplearning4j's NormalizerStandardize, NormalizerMinMaxScaler, MultiNormalizerStandardize,
// MultiNormalizerMinMaxScaler and MultiNormalizerHybrid, which differ in their files and in how many inputs they take.
type Scaler struct {
	fileType string // as in the file
	// Input and Output are the strategies of the inputs and outputs that PerInput and PerOutput do not list.
	Input, Output       ScalerStrategy
	PerInput, PerOutput map[int]ScalerStrategy // of a hybrid scaler only
	// Inputs and Outputs are the fitted statistics, one for each array.
	Inputs, Outputs []ColumnStatistics
}

// NewStandardize returns a scaler to mean 0 and standard deviation 1, for data with one input. With fitLabels, it
// scales the labels, too.
func NewStandardize(fitLabels bool) *Scaler {
	return newScaler("STANDARDIZE", ScalerStrategy{Kind: Standardize}, fitLabels)
}

// NewMultiStandardize is [NewStandardize] for any number of inputs and outputs.
func NewMultiStandardize(fitLabels bool) *Scaler {
	return newScaler("MULTI_STANDARDIZE", ScalerStrategy{Kind: Standardize}, fitLabels)
}

// NewMinMax returns a scaler to the range [min, max], for data with one input. With fitLabels, it scales the labels,
// too. Deeplearning4j's default is the range from 0 to 1.
func NewMinMax(min, max float64, fitLabels bool) *Scaler {
	return newScaler("MIN_MAX", ScalerStrategy{MinMax, min, max}, fitLabels)
}

// NewMultiMinMax is [NewMinMax] for any number of inputs and outputs.
func NewMultiMinMax(min, max float64, fitLabels bool) *Scaler {
	return newScaler("MULTI_MIN_MAX", ScalerStrategy{MinMax, min, max}, fitLabels)
}

// NewHybridScaler returns a scaler with special strategies for some inputs and outputs. input and output apply to all
// others, and may be the zero ScalerStrategy, which leaves an array unchanged.
func NewHybridScaler(input, output ScalerStrategy, perInput, perOutput map[int]ScalerStrategy) *Scaler {
	return &Scaler{fileType: "MULTI_HYBRID", Input: input, Output: output, PerInput: perInput, PerOutput: perOutput}
}

func newScaler(fileType string, s ScalerStrategy, fitLabels bool) *Scaler {
	n := &Scaler{fileType: fileType, Input: s}
	if fitLabels {
		n.Output = s
	}
	return n
}

// Type returns the scaler's type in files: STANDARDIZE, MIN_MAX, MULTI_STANDARDIZE, MULTI_MIN_MAX or MULTI_HYBRID.
func (n *Scaler) Type() string { return n.fileType }

func strategyOf(all ScalerStrategy, per map[int]ScalerStrategy, i int) ScalerStrategy {
	if s, ok := per[i]; ok {
		return s
	}
	return all
}

// Fit replaces the statistics by those of all minibatches.
func (n *Scaler) Fit(it Iterator) error {
	var inputs, outputs []columns
	for {
		m, err := it.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := m.Validate(); err != nil {
			return err
		}
		if err := accumulate(&inputs, m.Features, m.FeatureMask, "features", n.Input, n.PerInput); err != nil {
			return err
		}
		if err := accumulate(&outputs, m.Labels, m.LabelMask, "labels", n.Output, n.PerOutput); err != nil {
			return err
		}
	}
	if inputs == nil {
		return errors.New("a normalizer can't be fitted: there is no data")
	}
	var err error
	if n.Inputs, err = finish(inputs, "features", n.Input, n.PerInput); err != nil {
		return err
	}
	n.Outputs, err = finish(outputs, "labels", n.Output, n.PerOutput)
	return err
}

func accumulate(sums *[]columns, arrays []*tensor.Dense, mask func(int) *tensor.Dense, what string, all ScalerStrategy,
	per map[int]ScalerStrategy) error {
	if *sums == nil {
		*sums = make([]columns, len(arrays))
	}
	if len(*sums) != len(arrays) {
		return fmt.Errorf("a minibatch has %d arrays of %s, the first one has %d", len(arrays), what, len(*sums))
	}
	for i, a := range arrays {
		if strategyOf(all, per, i).Kind == Unscaled {
			continue
		}
		if c := (*sums)[i]; c != nil {
			if err := checkColumns(a, len(c), what, i); err != nil {
				return err
			}
		}
		(*sums)[i].add(a, mask(i))
	}
	return nil
}

func finish(sums []columns, what string, all ScalerStrategy, per map[int]ScalerStrategy) ([]ColumnStatistics, error) {
	stats := make([]ColumnStatistics, len(sums))
	for i, c := range sums {
		for j, m := range c {
			if m.count == 0 {
				return nil, fmt.Errorf("a normalizer can't be fitted: %s %d have no value in column %d that is not masked", what,
					i, j)
			}
		}
		s := strategyOf(all, per, i)
		if s.Kind == Unscaled {
			continue
		}
		stats[i] = c.statistics(s.Kind)
		for j := range c {
			if notFinite(stats[i].First[j]) || notFinite(stats[i].Second[j]) {
				return nil,
					fmt.Errorf("a normalizer can't be fitted: column %d of %s %d has NaN, infinities, or numbers too large "+
						"for float32; mend these values or leave their rows out", j, what, i)
			}
		}
	}
	return stats, nil
}

func notFinite(x float32) bool { return x-x != 0 }

// Transform normalizes the data in place.
func (n *Scaler) Transform(m *MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	return n.apply(m, ScalerStrategy.transform)
}

// Revert undoes Transform.
func (n *Scaler) Revert(m *MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	return n.apply(m, ScalerStrategy.revert)
}

// RevertLabels undoes Transform on arrays of labels, in place. They may also be a network's outputs. masks is nil, or
// has a mask for each array, which may be nil.
func (n *Scaler) RevertLabels(labels []*tensor.Dense, masks []*tensor.Dense) error {
	return n.apply(&MultiDataSet{Labels: labels, LabelMasks: masks}, ScalerStrategy.revert)
}

func (n *Scaler) apply(m *MultiDataSet, f func(s ScalerStrategy, a, mask *tensor.Dense, stats ColumnStatistics)) error {
	if n.Inputs == nil {
		return errors.New("the normalizer has not been fitted")
	}
	unshare(m)
	list := func(arrays []*tensor.Dense, mask func(int) *tensor.Dense, what string, all ScalerStrategy,
		per map[int]ScalerStrategy, stats []ColumnStatistics) error {
		for i, a := range arrays {
			s := strategyOf(all, per, i)
			if s.Kind == Unscaled {
				continue
			}
			if i >= len(stats) || stats[i].First == nil {
				return fmt.Errorf("%s %d: the normalizer has not been fitted to them", what, i)
			}
			if err := checkColumns(a, len(stats[i].First), what, i); err != nil {
				return err
			}
			f(s, a, mask(i), stats[i])
		}
		return nil
	}
	if err := list(m.Features, m.FeatureMask, "features", n.Input, n.PerInput, n.Inputs); err != nil {
		return err
	}
	return list(m.Labels, m.LabelMask, "labels", n.Output, n.PerOutput, n.Outputs)
}
