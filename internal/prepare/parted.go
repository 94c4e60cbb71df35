package prepare

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
)

// divided is data whose single examples are not in this process. Its parts are read elsewhere.
type divided interface {
	source.Source
	Subset(name string, at []int) source.Source
	ClassNumbers() ([]int, error)
}

// Part draws the examples for training, and those to hold out, from data that does not go through a pipeline, such as
// pictures. held is nil if none are held out. Part draws the same rows as from a table with as many rows.
func Part(ctx context.Context, s source.Source, n source.Name, split Split, sample int, seed int64) (train,
	held source.Source, err error) {
	var subset func(name string, n int, at iter.Seq[int]) source.Source
	switch of := s.(type) {
	case source.Table:
		subset = func(name string, _ int, at iter.Seq[int]) source.Source {
			return source.Subset(of, name, slices.Collect(at))
		}
	case *source.Stored:
		subset = func(name string, n int, at iter.Seq[int]) source.Source { return of.Subset(name, n, at) }
	case divided:
		subset = func(name string, _ int, at iter.Seq[int]) source.Source { return of.Subset(name, slices.Collect(at)) }
	default:
		return nil, nil, fmt.Errorf("%s: single examples of it are not in this machine's reach, so that none can be drawn; "+
			"divide the data, and give the other part as held-out data", n)
	}
	if split.Column != "" {
		return nil, nil, fmt.Errorf("%s: %s: the data has no columns to go by; leave the column out", split.title(), n)
	}
	o := &opening{Settings: Settings{Split: split, Sample: sample, Seed: seed}, table: &table{ctx: ctx, name: n}}
	o.seen = &survey{rows: s.Info().Examples}
	if split.By == Stratified || split.Folds > 0 {
		classes, err := classesOf(s)
		if err != nil {
			return nil, nil, err
		}
		if classes == nil && split.By == Stratified {
			return nil, nil, fmt.Errorf("%s: %s: the data has no classes to stratify by; leave it out", split.title(), n)
		}
		if classes != nil {
			o.raw, o.seen.split, o.seen.changes = []string{"label"}, classes, make([]map[string]bool, 1)
		}
	}
	if err := o.part(); err != nil || o.train == nil {
		return s, nil, err
	}
	some := func(rows *rowSet) source.Source {
		name := fmt.Sprintf("%d of the %d examples of %s", rows.size(), o.seen.rows, n)
		return subset(name, rows.size(), rows.all)
	}
	if train = some(o.train); o.held != nil {
		held = some(o.held)
	}
	return train, held, nil
}

// classesOf returns the class names of all examples, or nil if examples have no class, or several.
func classesOf(s source.Source) (*texts, error) {
	info := s.Info()
	if info.Classes < 2 || len(info.Labels) != 1 || len(info.Labels[0]) != 1 {
		return nil, nil
	}
	all := &texts{}
	err := classNumbers(s, func(class int) {
		if class < len(info.LabelNames) {
			all.add(info.LabelNames[class])
		} else {
			all.add(strconv.Itoa(class))
		}
	})
	return all, err
}

// classNumbers calls each with the classes of all examples.
func classNumbers(s source.Source, each func(class int)) error {
	if of, ok := s.(divided); ok {
		numbers, err := of.ClassNumbers()
		for _, class := range numbers {
			each(class)
		}
		return err
	}
	for i := range s.Objects() {
		m, err := s.Object(i)
		if err != nil {
			return err
		}
		y := m.Labels[0].Data
		if len(y) != s.Info().Classes {
			return errors.New("an object has several examples")
		}
		each(slices.Index(y, slices.Max(y)))
	}
	return nil
}
