package records

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// Alignment is the position of shorter sequences in a minibatch.
type Alignment int

// The alignments. The longest sequence of an example begins at the first step of the minibatch.
const (
	EqualLength Alignment = iota // all sequences of a reader must have the same length
	AlignStart                   // each begins at the first step
	AlignEnd                     // each ends where the longest one of its example ends
)

// Array is an array of a minibatch of [MultiDataSets]: some columns of a reader.
type Array struct {
	Reader  string
	Columns []int // by index; nil means all
	Classes int   // if not 0, the column has numbers of classes, which become one-hot
}

// MultiOptions are settings of [MultiDataSets].
type MultiOptions struct {
	Batch           int       // examples of a minibatch; the last one may be smaller
	Alignment       Alignment // DataVec's default is AlignStart
	Inputs, Outputs []Array
}

// MultiDataSets makes minibatches of several readers. All of them have the same examples in the same order. It ends
// when one of the readers ends. Arrays of rows are [examples, columns]. Those of sequences are [examples, columns,
// steps], with a mask [examples, steps] if one is shorter than the longest of the minibatch.
//
// A reader of rows that no [Array] names is an error. A reader of sequences without an Array only counts for the
// lengths.
func MultiDataSets(readers map[string]source.Rows, o MultiOptions) (data.Iterator, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("minibatches of %d examples: the size must be positive", o.Batch)
	}
	unused := maps.Clone(readers)
	for _, a := range slices.Concat(o.Inputs, o.Outputs) {
		if err := a.check(readers); err != nil {
			return nil, err
		}
		delete(unused, a.Reader)
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		if !unused[name].Schema().Sequence {
			return nil, fmt.Errorf("reader %q: no array has its columns; name it in Inputs or Outputs, or leave it out", name)
		}
	}
	return &iterator{readers: readers, o: o}, nil
}

// check finds mistakes in an array.
func (a Array) check(readers map[string]source.Rows) error {
	rows, ok := readers[a.Reader]
	if !ok {
		return fmt.Errorf("there is no reader %q", a.Reader)
	}
	switch n := len(a.columns(rows)); {
	case n == 0:
		return fmt.Errorf("reader %q: there are no columns but those of labels", a.Reader)
	case a.Classes > 0 && n != 1:
		return fmt.Errorf("reader %q: one column can be one-hot, not %d", a.Reader, n)
	}
	for _, c := range a.Columns {
		if n := len(rows.Schema().Columns); c < 0 || c >= n {
			return fmt.Errorf("reader %q: there is no column %d: there are %d", a.Reader, c, n)
		}
	}
	return nil
}

func (a Array) columns(rows source.Rows) []int {
	if a.Columns != nil {
		return a.Columns
	}
	return span(0, len(rows.Schema().Columns)-1)
}

type iterator struct {
	readers map[string]source.Rows
	o       MultiOptions
	err     error
}

// batch is a reader's records for a minibatch.
type batch struct {
	items  []pipeline.Item
	places []string
}

// Next makes the next minibatch.
func (it *iterator) Next() (*data.MultiDataSet, error) {
	if it.err != nil {
		return nil, it.err
	}
	m, err := it.next()
	it.err = err
	return m, err
}

func (it *iterator) next() (*data.MultiDataSet, error) {
	batches := map[string]*batch{}
	n := it.o.Batch
	for _, name := range slices.Sorted(maps.Keys(it.readers)) {
		rows, b := it.readers[name], &batch{}
		for len(b.items) < it.o.Batch {
			item, err := rows.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			b.items, b.places = append(b.items, item), append(b.places, rows.Place())
		}
		batches[name], n = b, min(n, len(b.items))
	}
	if n == 0 {
		return nil, io.EOF
	}
	steps := it.steps(batches, n)
	m := &data.MultiDataSet{}
	for _, a := range it.o.Inputs {
		x, mask, err := it.array(a, batches[a.Reader], steps, n)
		if err != nil {
			return nil, err
		}
		m.Features, m.FeatureMasks = append(m.Features, x), append(m.FeatureMasks, mask)
	}
	for _, a := range it.o.Outputs {
		y, mask, err := it.array(a, batches[a.Reader], steps, n)
		if err != nil {
			return nil, err
		}
		m.Labels, m.LabelMasks = append(m.Labels, y), append(m.LabelMasks, mask)
	}
	return m, nil
}

// steps are the lengths of the examples' longest sequences.
func (it *iterator) steps(batches map[string]*batch, n int) []int {
	steps := make([]int, n)
	for _, b := range batches {
		for i := range n {
			steps[i] = max(steps[i], len(b.items[i].Sequence))
		}
	}
	return steps
}

// array makes an array, and its mask if it needs one.
func (it *iterator) array(a Array, b *batch, steps []int, n int) (x, mask *tensor.Dense, err error) {
	rows := it.readers[a.Reader]
	columns := a.columns(rows)
	width := len(columns)
	if a.Classes > 0 {
		width = a.Classes
	}
	if !rows.Schema().Sequence {
		x = tensor.New(n, width)
		for i := range n {
			if err := a.values(b.items[i].Row, columns, x.Data[i*width:], 1); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", b.places[i], err)
			}
		}
		return x, nil, nil
	}
	longest := 0
	for _, s := range steps {
		longest = max(longest, s)
	}
	if it.o.Alignment == EqualLength {
		longest = len(b.items[0].Sequence)
	}
	x, mask = tensor.New(n, width, longest), tensor.New(n, longest)
	padded := false
	for i := range n {
		length, from := len(b.items[i].Sequence), 0
		switch {
		case it.o.Alignment == EqualLength && length != longest:
			return nil, nil,
				fmt.Errorf("%s: this sequence has %d steps, and the first one of the minibatch %d; align sequences of "+
					"different lengths at their start or end", b.places[i], length, longest)
		case it.o.Alignment == AlignEnd:
			from = steps[i] - length
		}
		padded = padded || length < longest
		for k, row := range b.items[i].Sequence {
			if err := a.values(row, columns, x.Data[i*width*longest+from+k:], longest); err != nil {
				return nil, nil, fmt.Errorf("%s: step %d: %w", b.places[i], k+1, err)
			}
			mask.Data[i*longest+from+k] = 1
		}
	}
	if !padded {
		mask = nil
	}
	return x, mask, nil
}

// values writes a row's columns, or their class, at the given distance.
func (a Array) values(row pipeline.Row, columns []int, to []float32, apart int) error {
	for i, c := range columns {
		x, err := row[c].Double()
		if err != nil {
			return fmt.Errorf("column %d: %w", c, err)
		}
		if a.Classes == 0 {
			to[i*apart] = float32(x)
			continue
		}
		if x != math.Trunc(x) || !(x >= 0 && x < float64(a.Classes)) {
			return fmt.Errorf("column %d: %w", c, errClass(x, a.Classes))
		}
		to[int(x)*apart] = 1
	}
	return nil
}

func errClass(x float64, classes int) error {
	if x != x {
		return errors.New("NaN is not a class")
	}
	return fmt.Errorf("%v is not a class: there are 0 to %d", x, classes-1)
}
