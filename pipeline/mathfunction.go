package pipeline

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// MathFunction is a function of a number (org.datavec.api.transform.MathFunction).
type MathFunction string

// The functions. LOG is the natural logarithm. SIGNUM is -1, 0 or 1; it keeps NaN and the sign of zero.
const (
	Abs    MathFunction = "ABS"
	Acos   MathFunction = "ACOS"
	Asin   MathFunction = "ASIN"
	Atan   MathFunction = "ATAN"
	Ceil   MathFunction = "CEIL"
	Cos    MathFunction = "COS"
	Cosh   MathFunction = "COSH"
	Exp    MathFunction = "EXP"
	Floor  MathFunction = "FLOOR"
	Log    MathFunction = "LOG"
	Log10  MathFunction = "LOG10"
	Signum MathFunction = "SIGNUM"
	Sin    MathFunction = "SIN"
	Sinh   MathFunction = "SINH"
	Sqrt   MathFunction = "SQRT"
	Tan    MathFunction = "TAN"
	Tanh   MathFunction = "TANH"
)

var mathFunctions = map[MathFunction]func(float64) float64{
	Abs: math.Abs, Acos: math.Acos, Asin: math.Asin, Atan: math.Atan, Ceil: math.Ceil, Cos: math.Cos, Cosh: cosh,
	Exp: math.Exp, Floor: math.Floor, Log: ln, Log10: log10, Signum: signum, Sin: math.Sin, Sinh: sinh,
	Sqrt: math.Sqrt, Tan: math.Tan, Tanh: math.Tanh,
}

// ln is math.Log, corrected for subnormal numbers, for which it is wrong on amd64.
func ln(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// log10 is math.Log10, also correct for subnormal numbers.
func log10(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log10(x*0x1p54) - 54*math.Ln2/math.Ln10
	}
	return math.Log10(x)
}

// cosh is math.Cosh, without its overflow if exp(x) is too large and half of it is not.
func cosh(x float64) float64 {
	if a := math.Abs(x); a > 709 {
		half := math.Exp(a / 2)
		return half / 2 * half
	}
	return math.Cosh(x)
}

// sinh is math.Sinh without that overflow.
func sinh(x float64) float64 {
	if math.Abs(x) > 709 {
		return math.Copysign(cosh(x), x)
	}
	return math.Sinh(x)
}

func signum(x float64) float64 {
	if x == 0 || x != x {
		return x
	}
	return math.Copysign(1, x)
}

// find returns the function with a name.
func (f MathFunction) find() (func(float64) float64, error) {
	if of, ok := mathFunctions[f]; ok {
		return of, nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(mathFunctions)) {
		names = append(names, string(name))
	}
	return nil, fmt.Errorf("%q is not a function: there are %s", string(f), strings.Join(names, ", "))
}

// DoubleFunction replaces each number of a column by a function's result
// (doubletransform.DoubleMathFunctionTransform). A Double column keeps its limits; any other becomes a Double column.
type DoubleFunction struct {
	Column   string       `dl4j:"columnName"`
	Function MathFunction `dl4j:"mathFunction"`
}

// FloatFunction is [DoubleFunction] for a Float column (floattransform.FloatMathFunctionTransform). It computes in 64
// bits and rounds.
type FloatFunction struct {
	Column   string       `dl4j:"columnName"`
	Function MathFunction `dl4j:"mathFunction"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"doubletransform.DoubleMathFunctionTransform", func() Transform { return DoubleFunction{} })
	RegisterTransform(pkg+"floattransform.FloatMathFunctionTransform", func() Transform { return FloatFunction{} })
}

// Bind finds the function and the column.
func (s DoubleFunction) Bind(in *Schema) (Bound, error) {
	f, err := s.Function.find()
	if err != nil {
		return Bound{}, err
	}
	return mapDouble(in, s.Column, asDouble, f)
}

// Bind finds the function and the column.
func (s FloatFunction) Bind(in *Schema) (Bound, error) {
	f, err := s.Function.find()
	if err != nil {
		return Bound{}, err
	}
	return mapCell(in, s.Column, asFloat, func(v Value) (Value, error) {
		x, err := v.Float()
		return Float(float32(f(float64(x)))), err
	})
}

// asDouble keeps a Double column, and replaces any other by one.
func asDouble(c Column) Column {
	if c.Type() == DoubleType {
		return c
	}
	return toDouble(c.Title())
}

// asFloat keeps a Float column, and replaces any other by one.
func asFloat(c Column) Column {
	if c.Type() == FloatType {
		return c
	}
	return toFloat(c.Title())
}

// mapDouble binds a function on numbers.
func mapDouble(in *Schema, name string, column func(Column) Column, f func(float64) float64) (Bound, error) {
	at, err := in.Find(name)
	if err != nil {
		return Bound{}, err
	}
	do := func(v Value) (Value, error) {
		x, err := v.Double()
		return Double(f(x)), err
	}
	return Bound{in.replaced(at, column(in.Columns[at])), &cellMap{at: at, name: name, do: do, gives: DoubleKind,
			real: f}},
		nil
}
