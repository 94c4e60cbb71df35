package pipeline

import (
	"fmt"
	"math"
	"slices"
)

// ArrayMath applies an operation with a number to each number of arrays (ndarray.NDArrayScalarOpTransform).
type ArrayMath struct {
	Column string  `dl4j:"columnName"`
	Op     MathOp  `dl4j:"mathOp"`
	Scalar float64 `dl4j:"scalar"`
}

// ArrayColumnsMath appends a column of arrays computed from those of other columns, element by element
// (ndarray.NDArrayColumnsMathOpTransform). Add and Multiply take two or more columns; Subtract, Divide and Modulus
// take two. The arrays of a row have the same shape.
type ArrayColumnsMath struct {
	NewColumn string   `dl4j:"newColumnName"`
	Op        MathOp   `dl4j:"mathOp"`
	Columns   []string `dl4j:"columns"`
}

// ArrayFunction applies a function to each number of arrays (ndarray.NDArrayMathFunctionTransform).
type ArrayFunction struct {
	Column   string       `dl4j:"columnName"`
	Function MathFunction `dl4j:"mathFunction"`
}

// ArrayDistance appends a Double column with the distance of two arrays (ndarray.NDArrayDistanceTransform).
type ArrayDistance struct {
	NewColumn string   `dl4j:"newColumnName"`
	Distance  Distance `dl4j:"distance"`
	First     string   `dl4j:"firstCol"`
	Second    string   `dl4j:"secondCol"`
}

// Distance is a distance between arrays (org.datavec.api.transform.Distance).
type Distance string

// The distances. As in files, COSINE is the cosine of the angle, a similarity.
const (
	Cosine    Distance = "COSINE"
	Euclidean Distance = "EUCLIDEAN"
	Manhattan Distance = "MANHATTAN"
)

func init() {
	const pkg = "org.datavec.api.transform.ndarray."
	RegisterTransform(pkg+"NDArrayScalarOpTransform", func() Transform { return ArrayMath{} })
	RegisterTransform(pkg+"NDArrayColumnsMathOpTransform", func() Transform { return ArrayColumnsMath{} })
	RegisterTransform(pkg+"NDArrayMathFunctionTransform", func() Transform { return ArrayFunction{} })
	RegisterTransform(pkg+"NDArrayDistanceTransform", func() Transform { return ArrayDistance{} })
}

// asArray returns the array of a value.
func asArray(v Value) (*Array, error) {
	if a := v.Array(); a != nil {
		return a, nil
	}
	return nil, &ValueError{v, "an array"}
}

// arrayColumn finds an NDArray column.
func (s *Schema) arrayColumn(name string) (ArrayColumn, error) {
	at, err := s.Find(name)
	if err != nil {
		return ArrayColumn{}, err
	}
	c, ok := s.Columns[at].(ArrayColumn)
	if !ok {
		return c, fmt.Errorf("the column %q is of type %s: an NDArray one is needed", name, s.Columns[at].Type())
	}
	return c, nil
}

// mapArray binds a function to be applied to each number of an array.
func mapArray(in *Schema, name string, f func(float64) float64) (Bound, error) {
	if _, err := in.arrayColumn(name); err != nil {
		return Bound{}, err
	}
	return mapCell(in, name, unchanged, func(v Value) (Value, error) {
		a, err := asArray(v)
		if err != nil {
			return v, err
		}
		data := make([]float64, len(a.Data))
		for i, x := range a.Data {
			data[i] = f(x)
		}
		return ArrayOf(&Array{a.Shape, data}), nil
	})
}

// Bind checks the operation and the column.
func (s ArrayMath) Bind(in *Schema) (Bound, error) {
	if err := s.Op.Check(); err != nil {
		return Bound{}, err
	}
	return mapArray(in, s.Column, func(x float64) float64 {
		y, _ := reals(s.Op, x, s.Scalar) // real numbers have no errors
		return y
	})
}

// Bind checks the function and the column.
func (s ArrayFunction) Bind(in *Schema) (Bound, error) {
	f, err := s.Function.find()
	if err != nil {
		return Bound{}, err
	}
	return mapArray(in, s.Column, f)
}

// Bind checks the columns.
func (s ArrayColumnsMath) Bind(in *Schema) (Bound, error) {
	var shape []int64
	for i, name := range s.Columns {
		c, err := in.arrayColumn(name)
		if err != nil {
			return Bound{}, err
		}
		if i == 0 {
			shape = c.Shape
		}
	}
	column := ArrayColumn{s.NewColumn, shape}
	return bindColumnsMath(in, column, s.Op, s.Columns, asArray, arrays, ArrayOf)
}

// arrays applies an operation element by element.
func arrays(op MathOp, a, b *Array) (*Array, error) {
	if err := sameShape(a, b); err != nil {
		return nil, err
	}
	data := make([]float64, len(a.Data))
	for i, x := range a.Data {
		data[i], _ = reals(op, x, b.Data[i]) // real numbers have no errors
	}
	return &Array{a.Shape, data}, nil
}

func sameShape(a, b *Array) error {
	if !slices.Equal(a.Shape, b.Shape) || len(a.Data) != len(b.Data) {
		return fmt.Errorf("the arrays have the shapes %v and %v: they should be equal", a.Shape, b.Shape)
	}
	return nil
}

// Bind checks the columns.
func (s ArrayDistance) Bind(in *Schema) (Bound, error) {
	switch s.Distance {
	case Cosine, Euclidean, Manhattan:
	default:
		return Bound{}, fmt.Errorf("%q is not a distance: there are COSINE, EUCLIDEAN and MANHATTAN", string(s.Distance))
	}
	for _, name := range []string{s.First, s.Second} {
		if _, err := in.arrayColumn(name); err != nil {
			return Bound{}, err
		}
	}
	return appendCell(in, toDouble(s.NewColumn), []string{s.First, s.Second}, func(at []int, r Row) (Value, error) {
		a, err := asArray(r[at[0]])
		if err != nil {
			return Value{}, err
		}
		b, err := asArray(r[at[1]])
		if err != nil {
			return Value{}, err
		}
		if err := sameShape(a, b); err != nil {
			return Value{}, err
		}
		return Double(s.Distance.of(a.Data, b.Data)), nil
	})
}

func (d Distance) of(a, b []float64) float64 {
	var dot, aa, bb, squares, sum float64
	for i, x := range a {
		dot += x * b[i]
		aa += x * x
		bb += b[i] * b[i]
		squares += (x - b[i]) * (x - b[i])
		sum += math.Abs(x - b[i])
	}
	switch d {
	case Cosine:
		return dot / (math.Sqrt(aa) * math.Sqrt(bb))
	case Euclidean:
		return math.Sqrt(squares)
	}
	return sum
}
