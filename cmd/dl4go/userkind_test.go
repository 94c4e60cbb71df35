package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

func init() { source.Register("ramp", rampKind{}) }

// rampKind is a kind of data as a user's program may add one, ramp:NAME: numbers from 0 to 1, with a class that says
// whether they are above one half. testdata/script/kinds.txtar uses it in every command.
type rampKind struct{}

func (rampKind) About() source.About {
	return source.About{
		Form:     "ramp:NAME?length=N",
		Text:     "numbers that rise",
		Settings: []source.Setting{{Name: "length", Value: "N", Text: "how many numbers"}},
	}
}

func (rampKind) Check(n source.Name, _ source.Options) error {
	if n.Place == "" {
		return &source.SpecError{Problem: "a name is needed: ramp:NAME"}
	}
	if v, ok := n.Settings["length"]; ok {
		if length, err := strconv.Atoi(v); err != nil || length < 1 {
			return &source.SettingError{Key: "length", Value: v, Problem: "a number from 1 on should be here"}
		}
	}
	return nil
}

func (rampKind) Open(_ context.Context, n source.Name, _ source.Options) (source.Source, error) {
	length := 20
	if v, ok := n.Settings["length"]; ok {
		length, _ = strconv.Atoi(v)
	}
	return ramp{n.String(), length}, nil
}

type ramp struct {
	name   string
	length int
}

func (r ramp) Info() source.Info {
	return source.Info{Name: r.name, Examples: r.length, Features: []tensor.Shape{{1}}, Labels: []tensor.Shape{{2}},
		Classes: 2}
}

func (r ramp) Objects() int { return r.length }

func (r ramp) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= r.length {
		return nil, fmt.Errorf("%s has no number %d", r.name, i)
	}
	x, y := tensor.New(1, 1), tensor.New(1, 2)
	x.Data[0] = float32(i) / float32(r.length)
	y.Data[2*i/r.length] = 1
	return &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}, nil
}
