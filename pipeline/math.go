package pipeline

import "fmt"

// IntegerMath applies an operation with a number to each value of an Integer column (integer.IntegerMathOpTransform).
// It applies the same operation to the column's limits. Division by zero is an error.
type IntegerMath struct {
	Column string `dl4j:"columnName"`
	Op     MathOp `dl4j:"mathOp"`
	Scalar int32  `dl4j:"scalar"`
}

// LongMath is [IntegerMath] for a Long column (longtransform.LongMathOpTransform).
type LongMath struct {
	Column string `dl4j:"columnName"`
	Op     MathOp `dl4j:"mathOp"`
	Scalar int64  `dl4j:"scalar"`
}

// DoubleMath is [IntegerMath] for a Double column (doubletransform.DoubleMathOpTransform), by the rules of IEEE 754.
// It sets AllowNaN and AllowInfinite of the column to false, as in DataVec.
type DoubleMath struct {
	Column string  `dl4j:"columnName"`
	Op     MathOp  `dl4j:"mathOp"`
	Scalar float64 `dl4j:"scalar"`
}

// FloatMath is [DoubleMath] for a Float column (floattransform.FloatMathOpTransform), in 32 bits.
type FloatMath struct {
	Column string  `dl4j:"columnName"`
	Op     MathOp  `dl4j:"mathOp"`
	Scalar float32 `dl4j:"scalar"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"integer.IntegerMathOpTransform", func() Transform { return IntegerMath{} })
	RegisterTransform(pkg+"longtransform.LongMathOpTransform", func() Transform { return LongMath{} })
	RegisterTransform(pkg+"doubletransform.DoubleMathOpTransform", func() Transform { return DoubleMath{} })
	RegisterTransform(pkg+"floattransform.FloatMathOpTransform", func() Transform { return FloatMath{} })
}

// bindMath binds an operation to a column of type C.
func bindMath[C Column, T number](in *Schema, name string, op MathOp, calculate func(T) (T, error),
	column func(C) Column, from func(Value) (T, error), to func(T) Value) (Bound, error) {
	if err := op.Check(); err != nil {
		return Bound{}, err
	}
	at, err := in.Find(name)
	if err != nil {
		return Bound{}, err
	}
	c, ok := in.Columns[at].(C)
	if !ok {
		return Bound{}, fmt.Errorf("the column %q is of type %s: a %s one is needed", name, in.Columns[at].Type(), c.Type())
	}
	return mapCell(in, name, func(Column) Column { return column(c) }, func(v Value) (Value, error) {
		x, err := from(v)
		if err != nil {
			return v, err
		}
		x, err = calculate(x)
		return to(x), err
	})
}

// Bind checks the column's type.
func (s IntegerMath) Bind(in *Schema) (Bound, error) {
	f := func(x int32) (int32, error) { return integers(s.Op, x, s.Scalar) }
	return bindMath(in, s.Column, s.Op, f, func(c IntegerColumn) Column {
		c.Min, c.Max = limits(c.Min, c.Max, f)
		return c
	}, Value.Integer, Integer)
}

// Bind checks the column's type.
func (s LongMath) Bind(in *Schema) (Bound, error) {
	f := func(x int64) (int64, error) { return integers(s.Op, x, s.Scalar) }
	return bindMath(in, s.Column, s.Op, f, func(c LongColumn) Column {
		c.Min, c.Max = limits(c.Min, c.Max, f)
		return c
	}, Value.Long, Long)
}

// Bind checks the column's type.
func (s DoubleMath) Bind(in *Schema) (Bound, error) {
	f := func(x float64) (float64, error) { return reals(s.Op, x, s.Scalar) }
	return bindMath(in, s.Column, s.Op, f, func(c DoubleColumn) Column {
		low, high := limits(c.Min, c.Max, f)
		return DoubleColumn{Name: c.Name, Min: low, Max: high}
	}, Value.Double, Double)
}

// Bind checks the column's type.
func (s FloatMath) Bind(in *Schema) (Bound, error) {
	f := func(x float32) (float32, error) { return reals(s.Op, x, s.Scalar) }
	return bindMath(in, s.Column, s.Op, f, func(c FloatColumn) Column {
		low, high := limits(c.Min, c.Max, f)
		return FloatColumn{Name: c.Name, Min: low, Max: high}
	}, Value.Float, Float)
}
