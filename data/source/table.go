package source

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// table is a Table that makes its examples with fill, which writes the features and labels of example i.
type table struct {
	info Info
	keys []string // one for each example; nil if there are none
	// weights holds one for each example; nil if there are none
	weights []float32
	fill    func(i int, features, labels []float32)
	// compact, unless nil, returns example i of pixels, without key and names.
	compact func(i int) data.Compact
}

func (t *table) Info() Info   { return t.info }
func (t *table) Objects() int { return t.info.Examples }

func (t *table) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= t.info.Examples {
		return nil, fmt.Errorf("%s has no example %d: there are %d", t.info.Name, i, t.info.Examples)
	}
	return t.Range(i, i+1), nil
}

// ObjectRows returns the row of an example.
func (t *table) ObjectRows(i int) ([][]byte, error) {
	if t.compact == nil || i < 0 || i >= t.info.Examples {
		m, err := t.Object(i)
		if err != nil {
			return nil, err
		}
		return data.ExampleRows(m), nil
	}
	c := t.compact(i)
	if c.LabelNames = t.info.LabelNames; t.keys != nil {
		c.Meta = []string{t.keys[i]}
	}
	return [][]byte{c.AppendTo(nil)}, nil
}

func (t *table) Range(from, to int) *data.MultiDataSet {
	return t.gather(to-from, func(i int) int { return from + i })
}

func (t *table) Examples(indices []int) *data.MultiDataSet {
	return t.gather(len(indices), func(i int) int { return indices[i] })
}

func (t *table) gather(n int, index func(int) int) *data.MultiDataSet {
	m := &data.MultiDataSet{LabelNames: t.info.LabelNames}
	x := tensor.New(append([]int{n}, t.info.Features[0]...)...)
	m.Features = []*tensor.Dense{x}
	var y *tensor.Dense
	if len(t.info.Labels) > 0 {
		y = tensor.New(append([]int{n}, t.info.Labels[0]...)...)
		m.Labels = []*tensor.Dense{y}
	}
	if t.weights != nil {
		m.Weights = tensor.New(n, 1)
	}
	size, labels := x.RowSize(), 0
	if y != nil {
		labels = y.RowSize()
	}
	for i := range n {
		var row []float32
		if y != nil {
			row = y.Data[i*labels : (i+1)*labels]
		}
		if t.keys != nil {
			m.Meta = append(m.Meta, t.keys[index(i)])
		}
		if m.Weights != nil {
			m.Weights.Data[i] = t.weights[index(i)]
		}
		t.fill(index(i), x.Data[i*size:(i+1)*size], row)
	}
	return m
}
