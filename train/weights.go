package train

import (
	"context"
	"fmt"
	"reflect"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
)

// ClassWeights are the weights of the examples of each class in training. They multiply the examples' own weights. The
// products are divided by their mean over the training data, so that the learning rate keeps its meaning. A weight of 2
// for all classes therefore changes nothing.
type ClassWeights struct {
	// Balanced gives all classes the same sum of weights: n/(k·n_c), as in scikit-learn.
	Balanced bool
	// Weights has a weight for each class, in the order of the labels' columns. If each label is present or absent, a
	// weight applies to present ones, and absent ones count 1.
	Weights []float64
}

func (w ClassWeights) given() bool { return w.Balanced || w.Weights != nil }

// check refuses weights that do not fit the labels.
func (w ClassWeights) check(c Config) error {
	info := c.Data.Info()
	switch {
	case !w.given():
		return nil
	case w.Balanced && w.Weights != nil:
		return wrong("ClassWeights", "there are weights, and Balanced is set; choose one")
	case len(info.Labels) != 1 || len(info.Labels[0]) > 2 || len(info.Labels[0]) == 0:
		return wrong("ClassWeights", "%s has no labels of classes", info.Name)
	case info.Classes == 0 && info.Task != source.MultiLabel:
		return wrong("ClassWeights", "the labels of %s are numbers, not classes", info.Name)
	case w.Balanced:
		return nil
	}
	if n := info.Labels[0][0]; n != len(w.Weights) && !(n == 1 && len(w.Weights) == 2) {
		return wrong("ClassWeights", "there are %d weights, and %s has %d columns of labels",
			len(w.Weights), info.Name, n)
	}
	if err := (data.Weighting{Classes: w.Weights}).Check(); err != nil {
		return wrong("ClassWeights", "%w", err)
	}
	return nil
}

// weigh computes the weighting of examples. d is the training data on the workers; if it is nil, the data is read
// here.
func weigh(ctx context.Context, r *Run, d *distributed.Data) error {
	c, info := r.conf.ClassWeights, r.conf.Data.Info()
	each := info.Task == source.MultiLabel
	if c.given() || info.Weighted {
		w := data.Weighting{Classes: c.Weights}
		if each && c.Weights != nil {
			w.Absent = ones(len(c.Weights))
		}
		if c.Balanced {
			t, err := tally(ctx, r.conf.Data, d, w)
			if err != nil {
				return err
			}
			w = t.Balanced(each)
		}
		t, err := tally(ctx, r.conf.Data, d, w)
		if err != nil {
			return err
		}
		if !(t.Weight > 0) {
			return wrong("Data", "all weights of %s are 0: there would be nothing to learn", info.Name)
		}
		w.Scale = t.Scale()
		r.weighting = w
	}
	r.data.Weighting = r.weighting
	if from := r.conf.From; from != nil && !reflect.DeepEqual(from.record.Data.Weighting, r.weighting) {
		return wrong("ClassWeights", "the run in %s has other weights, which can't change when it goes on", from.Dir())
	}
	if r.heldOut != nil && (c.given() || r.conf.HeldOut.Info().Weighted) {
		w := r.weighting
		w.Scale = 0
		r.heldOut.weights = &w
	}
	return nil
}

func ones(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// tally counts the training data by class and weight.
func tally(ctx context.Context, s source.Source, d *distributed.Data, w data.Weighting) (t data.Tally, err error) {
	if d != nil {
		return d.Tally(ctx, w)
	}
	for i := range s.Objects() {
		if err := context.Cause(ctx); err != nil {
			return t, err
		}
		m, err := s.Object(i)
		if err == nil {
			err = t.Add(m, w)
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", s.Info().Name, err)
		}
	}
	return t, nil
}
