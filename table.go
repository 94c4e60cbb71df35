package dl4go

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// Table makes examples of Go values. Set Features, and Class for classification or Target for regression. Without
// both, the examples have no labels: they can be predicted, but not trained on.
type Table[T any] struct {
	// Features returns the numbers that describe a value, always the same number of them.
	Features func(T) []float64
	// Class returns the name of a value's class.
	Class func(T) string
	// Target returns the numbers to predict, always the same number of them.
	Target func(T) []float64

	// Classes are the names of all classes, in the order of a network's outputs. By default they are those that occur:
	// in numeric order if all are numbers, otherwise in alphabetical order. For data for a trained model, use
	// [Model.Classes].
	Classes []string
	// Columns are the names of the features, Targets those of the numbers to predict. Models keep them, and errors
	// contain them. By default there are no names.
	Columns, Targets []string
	// Shape is the shape of an example's features: [channels, height, width] for images, [size, steps] for sequences.
	// The numbers are in row-major order. By default it is one row of numbers.
	Shape []int
}

// Data makes examples of the values. Its errors have the index of the faulty value: one with another number of
// features than the first, a number that is NaN or too large for a float32 (a [data.ValueError]), or a class that is
// not among Classes.
func (t Table[T]) Data(values []T) (source.Table, error) {
	name := reflect.TypeFor[T]().String()
	fail := func(err error) (source.Table, error) { return nil, fmt.Errorf("table of %s: %w", name, err) }
	switch {
	case t.Features == nil:
		return fail(errors.New("the field Features is nil; set the function that gives a value's numbers"))
	case t.Class != nil && t.Target != nil:
		return fail(errors.New("Class and Target are both set; set one of them"))
	case len(values) == 0:
		return fail(errors.New("there are no values; give at least one"))
	}
	x, err := numbers("features", values, t.Features, t.Columns, t.Shape)
	if err != nil {
		return fail(err)
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}}
	schema := &data.Schema{Features: t.Columns}
	switch {
	case t.Class != nil:
		if schema.Classes, err = t.classes(values); err != nil {
			return fail(err)
		}
		m.LabelNames = schema.Classes
		m.Labels = []*tensor.Dense{t.oneHot(values, schema.Classes)}
	case t.Target != nil:
		y, err := numbers("targets", values, t.Target, t.Targets, nil)
		if err != nil {
			return fail(err)
		}
		m.Labels = []*tensor.Dense{y}
		schema.Labels = t.Targets
	}
	info := source.InfoOf(name, m)
	info.Classes, info.ClassesFound, info.Schema = len(schema.Classes), t.Classes == nil && t.Class != nil, schema
	if _, err := schema.JSON(); err != nil { // duplicate names
		return fail(err)
	}
	return source.InMemory(info, m)
}

// numbers calls row for each value, and checks its result. shape may be nil.
func numbers[T any](what string, values []T, row func(T) []float64, names []string, shape []int) (*tensor.Dense,
	error) {
	var x *tensor.Dense
	size := 0
	for i, v := range values {
		r := row(v)
		if x == nil {
			size = len(r)
			if shape == nil {
				shape = []int{size}
			}
			if n, err := tensor.Shape(shape).CheckedSize(math.MaxInt); err != nil {
				return nil, err
			} else if size == 0 || n != size {
				return nil, fmt.Errorf("example 0 has %d %s; the shape %v needs %d, at least 1", size, what, shape, n)
			}
			if names != nil && len(names) != size {
				return nil, fmt.Errorf("example 0 has %d %s, and there are %d names for them", size, what, len(names))
			}
			x = tensor.New(append([]int{len(values)}, shape...)...)
		}
		if len(r) != size {
			return nil, fmt.Errorf("example %d has %d %s, and example 0 has %d; give all examples the same number",
				i, len(r), what, size)
		}
		if err := narrow(x.Data[i*size:(i+1)*size], r, what, i, names); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// narrow converts an example's numbers to float32. They must be finite.
func narrow(to []float32, from []float64, what string, example int, names []string) error {
	for j, v := range from {
		to[j] = float32(v)
		if f := float64(to[j]); math.IsNaN(f) || math.IsInf(f, 0) {
			err := fmt.Errorf("%w; fill it in, or leave the example out", &data.ValueError{Array: what, Example: example,
				Column: j, Value: to[j]})
			if j < len(names) {
				err = fmt.Errorf("column %q: %w", names[j], err)
			}
			return err
		}
	}
	return nil
}

// classes returns the names of the classes, after checking each value's class.
func (t Table[T]) classes(values []T) ([]string, error) {
	known := map[string]bool{}
	for _, name := range t.Classes {
		known[name] = true
	}
	var found []string
	for i, v := range values {
		name := t.Class(v)
		switch {
		case name == "":
			return nil, fmt.Errorf("example %d has no class: its name is empty; leave the example out", i)
		case known[name]:
		case t.Classes != nil:
			return nil, fmt.Errorf("example %d has the class %q; the classes are %s", i, name, data.ShortList(t.Classes))
		default:
			known[name] = true
			found = append(found, name)
		}
	}
	if t.Classes != nil {
		return slices.Clone(t.Classes), nil
	}
	sortNames(found)
	return found, nil
}

// sortNames sorts names in numeric order if all are numbers, otherwise in alphabetical order.
func sortNames(names []string) {
	slices.Sort(names)
	value := map[string]float64{}
	for _, name := range names {
		x, err := strconv.ParseFloat(name, 64)
		if err != nil || math.IsNaN(x) {
			return
		}
		value[name] = x
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case value[a] < value[b]:
			return -1
		case value[a] > value[b]:
			return 1
		}
		return 0
	})
}

func (t Table[T]) oneHot(values []T, classes []string) *tensor.Dense {
	at := map[string]int{}
	for i, name := range classes {
		at[name] = i
	}
	y := tensor.New(len(values), len(classes))
	for i, v := range values {
		y.Data[i*len(classes)+at[t.Class(v)]] = 1
	}
	return y
}

// Read opens the data that a text names: csv:FILE?label=COLUMN, libsvm:FILE, idx:IMAGES,LABELS,
// dl4j:FILE-OR-DIRECTORY, digits. See [source.Open]. Files may be URLs. All features of a table must be numbers;
// [Prepare] also takes texts and gaps. Use [Model.Read] for data for a trained model.
func Read(ctx context.Context, spec string) (source.Source, error) {
	s, err := readAs(ctx, spec, source.Options{})
	if wrong := (*source.CSVError)(nil); errors.As(err, &wrong) && wrong.Raw {
		return nil, fmt.Errorf("%w; texts and gaps need dl4go.Prepare", err)
	}
	return s, err
}

// ReadOn is Read for the workers of an engine: on Spark they read the files themselves, and sql:QUERY names the rows
// of a query. If the data is an io.Closer, close it before the engine. [distributed.Open] is the same with options.
func ReadOn(ctx context.Context, e engine.Engine, spec string) (source.Source, error) {
	if e == nil {
		return nil, errors.New("data source: there is no engine: it is nil; Open one, or call Read")
	}
	n, err := source.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("data source %w", err)
	}
	return distributed.Open(ctx, e, n, distributed.OpenOptions{Count: true})
}

// readAs is Read with options.
func readAs(ctx context.Context, spec string, o source.Options) (source.Source, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n, err := source.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("data source %w", err)
	}
	o.Preparation = o.Preparation.For(n)
	return source.OpenName(ctx, n, o)
}

// Split divides data randomly: the first part has the given share of the examples, the second the others. The same
// seed and number of examples give the same parts. Both have at least one example, and no example is copied. Saved
// DataSets are files of many examples, which it does not divide: hold out some of the files.
func Split(s source.Source, share float64, seed uint64) (first, second source.Table, err error) {
	if s == nil {
		return nil, nil, errors.New("split: there is no data: it is nil")
	}
	info := s.Info()
	t, ok := s.(source.Table)
	if !ok {
		return nil, nil, fmt.Errorf("split %s: its examples are in files; hold some of the files out instead", info.Name)
	}
	n := int(math.Round(share * float64(info.Examples)))
	if !(share > 0 && share < 1) || n < 1 || n >= info.Examples {
		return nil, nil,
			fmt.Errorf("split %s: a share of %v of %d examples leaves a part without any; give one between 0 and 1",
				info.Name, share, info.Examples)
	}
	order := random.Permutation(seed, info.Examples)
	percent := func(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) }
	return source.Subset(t, percent(share)+" % of "+info.Name, order[:n]),
		source.Subset(t, percent(1-share)+" % of "+info.Name, order[n:]), nil
}
