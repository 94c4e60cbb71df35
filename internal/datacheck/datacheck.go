// Package datacheck finds likely mistakes in the data of a run, in samples of its training and held-out examples.
package datacheck

import (
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/storage"
)

// Findings are likely mistakes. The zero Findings are none.
type Findings struct {
	// Repeated is the share of the held-out examples that are also training examples, if that is half or more.
	Repeated float64
	// Telling names a column of the features that alone tells the label; empty if none does.
	Telling string
	// Missing names a class that is frequent among the held-out examples and rare or missing among the training
	// examples, or the other way round; empty if there is none. MissingTrained and MissingHeld are its shares.
	Missing                     string
	MissingTrained, MissingHeld float64
	// Sorted reports that each saved minibatch has one class only.
	Sorted bool
	// Labels and Features describe large numbers that are not normalized: the column with the largest spread. Their
	// zero value means that there are none.
	Labels, Features Large
}

// Large is a column of large numbers.
type Large struct {
	Column       string
	Mean, Spread float64 // the spread is the standard deviation
}

// The limits of samples: of numbers in all examples, and of examples.
const (
	mostNumbers  = 2 << 20
	mostTrained  = 20_000
	mostHeld     = 1_000
	mostExamined = 2_000
	fewSequences = 64
)

// Elsewhere returns evenly spaced examples of data that this process can't read in any order, at most most. It returns
// nil if there is no sample.
type Elsewhere func(s source.Source, most int) *data.MultiDataSet

// Look samples the training and the held-out data, which may be nil. by normalizes the examples in training; it may be
// nil, and so may elsewhere: then there are no samples of such data.
func Look(training, heldOut source.Source, by data.Normalizer, elsewhere Elsewhere) (f Findings) {
	f.Sorted = sorted(training)
	most := max(1, mostNumbers/max(1, numbers(training.Info())))
	trained, even := sample(training, min(most, mostTrained), elsewhere)
	if trained == nil {
		return f
	}
	if some, info := first(trained, mostExamined), training.Info(); vectors(info) {
		f.large(some, info, by)
		f.Telling = telling(some, info)
	}
	if heldOut == nil || !even {
		return f
	}
	if held, even := sample(heldOut, min(most, mostHeld), elsewhere); held != nil && even {
		f.Repeated = repeated(trained, held, training.Info().Examples)
		if vectors(training.Info()) {
			f.compare(trained, held, training.Info())
		}
	}
	return f
}

// numbers returns how many numbers the features of an example have. Sequences of different lengths count as many,
// because all are padded to the longest one.
func numbers(info source.Info) int {
	all := 0
	for _, shape := range info.Features {
		size := 1
		for _, n := range shape {
			if n < 0 {
				return mostNumbers / fewSequences
			}
			size *= n
		}
		all += size
	}
	return all
}

// vectors reports whether an example has one vector of labels.
func vectors(info source.Info) bool { return len(info.Labels) == 1 && len(info.Labels[0]) == 1 }

// first returns evenly spaced rows of a sample, at most the given number.
func first(m *data.MultiDataSet, most int) []row {
	step := (m.Examples() + most - 1) / most
	var out []row
	for i := 0; i < m.Examples(); i += step {
		out = append(out, rowOf(m, i))
	}
	return out
}

// row has the first features and the first labels of an example.
type row struct{ features, labels []float32 }

func rowOf(m *data.MultiDataSet, i int) (r row) {
	part := func(v []float32) []float32 {
		size := len(v) / m.Examples()
		return v[i*size : (i+1)*size]
	}
	r.features = part(m.Features[0].Data)
	if len(m.Labels) > 0 && m.Labels[0] != nil {
		r.labels = part(m.Labels[0].Data)
	}
	return r
}

// class returns the index of a one-hot label.
func (r row) class() int {
	at := 0
	for i, v := range r.labels {
		if v > r.labels[at] {
			at = i
		}
	}
	return at
}

// oneHot reports whether the labels are those of one of several classes.
func (r row) oneHot() bool {
	at := r.class()
	for i, v := range r.labels {
		if i == at && v != 1 || i != at && v != 0 {
			return false
		}
	}
	return len(r.labels) > 1
}

// The number of saved minibatches that are read, and the examples that one must have.
const (
	fewMinibatches = 8
	leastExamples  = 8
)

// sorted reports whether saved minibatches on this machine have one class each, and different ones.
func sorted(s source.Source) bool {
	files, ok := s.(source.Files)
	if !ok || s.Objects() < 2 || storage.IsURL(files.Paths()[0]) {
		return false
	}
	classes := map[int]bool{}
	n := min(s.Objects(), fewMinibatches)
	for i := range n {
		m, err := s.Object(i * s.Objects() / n)
		if err != nil || m.Examples() < leastExamples || len(m.Labels) == 0 || len(m.Labels[0].Shape) != 2 {
			return false
		}
		class := rowOf(m, 0).class()
		for k := range m.Examples() {
			if r := rowOf(m, k); !r.oneHot() || r.class() != class {
				return false
			}
		}
		classes[class] = true
	}
	return len(classes) > 1
}

// largeSpread is the spread of numbers above which training needs normalization.
const largeSpread = 100

// large looks for columns of large numbers that nothing normalizes.
func (f *Findings) large(rows []row, info source.Info, by data.Normalizer) {
	scaler, _ := by.(*data.Scaler)
	if by == nil && info.Image == nil && info.Words == 0 && len(info.Categories) == 0 {
		f.Features = largest(rows, func(r row) []float32 { return r.features }, names(info, true))
	}
	if info.Classes == 0 && (scaler == nil || scaler.Output == data.ScalerStrategy{}) {
		f.Labels = largest(rows, func(r row) []float32 { return r.labels }, names(info, false))
	}
}

// names returns the names of the columns of features or of labels, if there are any.
func names(info source.Info, features bool) []string {
	if info.Schema == nil {
		return nil
	}
	if features {
		return info.Schema.Features
	}
	return info.Schema.Labels
}

// largest returns the column with the largest spread, or the zero Large if none is large.
func largest(rows []row, of func(row) []float32, names []string) (most Large) {
	if len(rows) < leastExamples {
		return most
	}
	for k := range of(rows[0]) {
		var sum, squares float64
		for _, r := range rows {
			v := of(r)
			if k >= len(v) {
				return Large{}
			}
			sum += float64(v[k])
			squares += float64(v[k]) * float64(v[k])
		}
		n := float64(len(rows))
		mean := sum / n
		spread := math.Sqrt(max(0, squares/n-mean*mean))
		if spread > max(largeSpread, most.Spread) {
			most = Large{nameOf(names, k), mean, spread}
		}
	}
	return most
}
