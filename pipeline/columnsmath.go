package pipeline

import "fmt"

// IntegerColumnsMath appends an Integer column computed from others (integer.IntegerColumnsMathOpTransform). Add and
// Multiply take two or more columns; Subtract, Divide and Modulus take two.
type IntegerColumnsMath struct {
	NewColumn string   `dl4j:"newColumnName"`
	Op        MathOp   `dl4j:"mathOp"`
	Columns   []string `dl4j:"columns"`
}

// LongColumnsMath is [IntegerColumnsMath] for a Long column (longtransform.LongColumnsMathOpTransform).
type LongColumnsMath struct {
	NewColumn string   `dl4j:"newColumnName"`
	Op        MathOp   `dl4j:"mathOp"`
	Columns   []string `dl4j:"columns"`
}

// DoubleColumnsMath is [IntegerColumnsMath] for a Double column (doubletransform.DoubleColumnsMathOpTransform).
type DoubleColumnsMath struct {
	NewColumn string   `dl4j:"newColumnName"`
	Op        MathOp   `dl4j:"mathOp"`
	Columns   []string `dl4j:"columns"`
}

// FloatColumnsMath is [IntegerColumnsMath] for a Float column (floattransform.FloatColumnsMathOpTransform).
type FloatColumnsMath struct {
	NewColumn string   `dl4j:"newColumnName"`
	Op        MathOp   `dl4j:"mathOp"`
	Columns   []string `dl4j:"columns"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"integer.IntegerColumnsMathOpTransform", func() Transform { return IntegerColumnsMath{} })
	RegisterTransform(pkg+"longtransform.LongColumnsMathOpTransform", func() Transform { return LongColumnsMath{} })
	RegisterTransform(pkg+"doubletransform.DoubleColumnsMathOpTransform", func() Transform { return DoubleColumnsMath{} })
	RegisterTransform(pkg+"floattransform.FloatColumnsMathOpTransform", func() Transform { return FloatColumnsMath{} })
}

// checkColumns refuses operations that are not defined for that many columns.
func (op MathOp) checkColumns(n int) error {
	switch op {
	case Add, Multiply:
		if n < 2 {
			return fmt.Errorf("%s takes two or more columns, not %d", op, n)
		}
	case Subtract, Divide, Modulus:
		if n != 2 {
			return fmt.Errorf("%s takes two columns, not %d", op, n)
		}
	default:
		return fmt.Errorf("%q is not an operation on columns: there are Add, Subtract, Multiply, Divide and Modulus",
			string(op))
	}
	return nil
}

// bindColumnsMath appends a column that an operation computes from others.
func bindColumnsMath[T any](in *Schema, column Column, op MathOp, columns []string, from func(Value) (T, error),
	calculate func(op MathOp, x, y T) (T, error), to func(T) Value) (Bound, error) {
	if err := op.checkColumns(len(columns)); err != nil {
		return Bound{}, err
	}
	return appendCell(in, column, columns, func(at []int, r Row) (Value, error) {
		var sum T
		for i, k := range at {
			x, err := from(r[k])
			if err != nil {
				return Value{}, fmt.Errorf("of column %q: %w", columns[i], err)
			}
			if i == 0 {
				sum = x
			} else if sum, err = calculate(op, sum, x); err != nil {
				return Value{}, err
			}
		}
		return to(sum), nil
	})
}

// Bind finds the columns.
func (s IntegerColumnsMath) Bind(in *Schema) (Bound, error) {
	return bindColumnsMath(in, toInteger(s.NewColumn), s.Op, s.Columns, Value.Integer, integers[int32], Integer)
}

// Bind finds the columns.
func (s LongColumnsMath) Bind(in *Schema) (Bound, error) {
	return bindColumnsMath(in, LongColumn{Name: s.NewColumn}, s.Op, s.Columns, Value.Long, integers[int64], Long)
}

// Bind finds the columns.
func (s DoubleColumnsMath) Bind(in *Schema) (Bound, error) {
	return bindColumnsMath(in, toDouble(s.NewColumn), s.Op, s.Columns, Value.Double, reals[float64], Double)
}

// Bind finds the columns.
func (s FloatColumnsMath) Bind(in *Schema) (Bound, error) {
	return bindColumnsMath(in, toFloat(s.NewColumn), s.Op, s.Columns, Value.Float, reals[float32], Float)
}
