package external

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// products is a kind of data, products:ROWS?phase=NUMBER: rows of four numbers, each labelled with the product of the
// first two.
type products struct{}

func init() { source.Register("products", products{}) }

// About says how the data is named.
func (products) About() source.About {
	return source.About{Form: "products:ROWS?phase=NUMBER", Text: "numbers and their products",
		Settings: []source.Setting{{Name: "phase", Value: "NUMBER", Text: "where the numbers begin", Default: "0"}}}
}

// Check finds mistakes in the name.
func (p products) Check(n source.Name, _ source.Options) error {
	_, err := p.read(n)
	return err
}

// Open opens the data.
func (p products) Open(_ context.Context, n source.Name, _ source.Options) (source.Source, error) {
	return p.read(n)
}

func (products) read(n source.Name) (s series, err error) {
	if s.rows, err = strconv.Atoi(n.Place); err != nil || s.rows < 1 {
		return s, &source.SpecError{Problem: fmt.Sprintf("%s: %q is not a number of rows; write products:100", n, n.Place)}
	}
	if text, given := n.Settings["phase"]; given {
		if s.phase, err = strconv.ParseFloat(text, 64); err != nil {
			return s, &source.SettingError{Key: "phase", Value: text, Problem: "a number should be here"}
		}
	}
	s.name = n.String()
	return s, nil
}

// series is the data of a name: a Source, whose objects are examples.
type series struct {
	name  string
	rows  int
	phase float64
}

// Info describes the examples.
func (s series) Info() source.Info {
	return source.Info{Name: s.name, Examples: s.rows, Features: []tensor.Shape{{4}}, Labels: []tensor.Shape{{1}}}
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
