package external

import (
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// series is data that is made, not read: rows of four numbers, each labelled with the product of the first two. It is a
// source.Source, whose objects are examples.
type series struct {
	rows  int
	phase float64
}

// Info describes the examples.
func (s series) Info() source.Info {
	return source.Info{Name: "products", Examples: s.rows, Features: []tensor.Shape{{4}}, Labels: []tensor.Shape{{1}}}
}

// Objects is the number of rows.
func (s series) Objects() int { return s.rows }

// Object makes a row.
func (s series) Object(i int) (*data.MultiDataSet, error) {
	x := make([]float32, 4)
	for j := range x {
		x[j] = float32(math.Sin(s.phase + float64(1+7*i+3*j*j)))
	}
	return &data.MultiDataSet{
		Features: []*tensor.Dense{tensor.MustOf(x, 1, 4)},
		Labels:   []*tensor.Dense{tensor.MustOf([]float32{x[0] * x[1]}, 1, 1)},
	}, nil
}
