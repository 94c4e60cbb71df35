package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// emit appends the example of a row or sequence that comes out of the pipeline.
func (r *rowReader) emit(item pipeline.Item) error {
	if r.row != nil {
		if err := r.take(r.row); err != nil {
			return err
		}
	}
	if item.Sequence != nil {
		if len(item.Sequence) == 0 {
			return nil
		}
		if err := r.steps(item.Sequence); err != nil {
			return err
		}
	} else if err := r.features(item.Row); err != nil {
		return err
	} else if r.labelled {
		if err := r.labels(item.Row); err != nil {
			return err
		}
	}
	if _, named := r.rows.(interface{ Key() string }); named || r.keys != nil {
		r.meta = append(r.meta, r.key)
	}
	if r.weight >= 0 {
		r.weights = append(r.weights, r.rowWeight)
	}
	r.from = append(r.from, r.read-1)
	r.made++
	return nil
}

func (r *rowReader) features(row pipeline.Row) error {
	columns := r.b.plan.Out().Columns
	for _, i := range r.b.features {
		if a, ok := columns[i].(pipeline.ArrayColumn); ok {
			if !a.Valid(row[i]) {
				return fmt.Errorf("column %q: %v is not an array of the shape %v", a.Name, row[i], a.Shape)
			}
			for k, v := range row[i].Array().Data {
				x := float32(v)
				if x-x != 0 {
					return fmt.Errorf("column %q: number %d of the array is %v, which is not finite",
						a.Name, k, v)
				}
				r.x = append(r.x, x)
			}
			continue
		}
		v, err := finite(row[i])
		if err != nil {
			return fmt.Errorf("column %q: %w", columns[i].Title(), err)
		}
		r.x = append(r.x, v)
	}
	return nil
}

// finite converts a value to a finite number for a network.
func finite(v pipeline.Value) (float32, error) {
	x, err := v.Double()
	if err != nil && v.IsText() && strings.TrimSpace(v.String()) == "" || v.IsNull() {
		return 0, errors.New("the value is missing")
	}
	if err != nil {
		return 0, err
	}
	if y := float32(x); y-y == 0 {
		return y, nil
	}
	return 0, fmt.Errorf("%v is not a finite number", v)
}

func (r *rowReader) labels(row pipeline.Row) error {
	b := r.b
	if b.Task != Classification || len(b.outputs) > 1 {
		return r.numbers(row)
	}
	v := row[b.outputs[0]]
	name := ""
	if !v.IsNull() {
		name = strings.TrimSpace(v.String())
	}
	if name == "" {
		return fmt.Errorf("column %q: the label is missing", b.Labels[0])
	}
	class := b.find(name)
	if class < 0 {
		return fmt.Errorf("column %q: %q is none of the classes %s", b.Labels[0], shorten(name), data.ShortList(b.Classes))
	}
	n := len(r.y)
	r.y = slices.Grow(r.y, len(b.Classes))[:n+len(b.Classes)]
	clear(r.y[n:])
	r.y[n+class] = 1
	return nil
}

// numbers appends the labels of a row that are numbers.
func (r *rowReader) numbers(row pipeline.Row) error {
	b := r.b
	sum := float32(0)
	for k, i := range b.outputs {
		name := b.plan.Out().Columns[i].Title()
		if k < len(b.Labels) && len(b.Labels) == len(b.outputs) {
			name = b.Labels[k]
		}
		v := row[i]
		if yes, err := (pipeline.BooleanColumn{}).Convert(v); b.Task == MultiLabel && v.IsText() && err == nil {
			v = yes
		}
		x, err := finite(v)
		if err != nil {
			return fmt.Errorf("column %q, a label: %w", name, err)
		}
		if b.Task == MultiLabel && x != 0 && x != 1 {
			return fmt.Errorf("column %q: %v; one of several labels is 1 where it is there, and 0 where it is not", name, x)
		}
		sum += x
		r.y = append(r.y, x)
	}
	if b.Task == Classification && sum != 1 {
		return fmt.Errorf("column %q: the label is none of the classes %s", b.Labels[0], data.ShortList(b.Classes))
	}
	return nil
}

// examples returns the examples so far as a minibatch.
func (r *rowReader) examples() *data.MultiDataSet {
	if r.b.plan.Out().Sequence {
		t := r.sequences(Info{})
		return t.Range(0, t.Objects())
	}
	n := len(r.x) / r.b.width
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(r.x, n, r.b.width)}, Meta: r.meta}
	if r.labelled {
		m.Labels = []*tensor.Dense{tensor.MustOf(r.y, n, r.b.labelWidth())}
		m.LabelNames = r.b.Classes
	}
	if r.weight >= 0 {
		m.Weights = tensor.MustOf(r.weights, n, 1)
	}
	return m
}
