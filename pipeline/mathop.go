package pipeline

import (
	"errors"
	"fmt"
	"math"
)

// MathOp is an operation on a value and a number, or on values of several columns (org.datavec.api.transform.MathOp).
type MathOp string

// The operations. Integers wrap around, and their Divide and Modulus round towards zero. Modulus has the sign of the
// dividend.
const (
	Add             MathOp = "Add"
	Subtract        MathOp = "Subtract"
	Multiply        MathOp = "Multiply"
	Divide          MathOp = "Divide"
	Modulus         MathOp = "Modulus"
	ReverseSubtract MathOp = "ReverseSubtract" // the number minus the value
	ReverseDivide   MathOp = "ReverseDivide"   // the number divided by the value
	ScalarMin       MathOp = "ScalarMin"       // the smaller one of the two
	ScalarMax       MathOp = "ScalarMax"
)

// Check returns an error if op is not an operation.
func (op MathOp) Check() error {
	switch op {
	case Add, Subtract, Multiply, Divide, Modulus, ReverseSubtract, ReverseDivide, ScalarMin, ScalarMax:
		return nil
	}
	return fmt.Errorf("%q is not an operation: there are Add, Subtract, Multiply, Divide, Modulus, ReverseSubtract, "+
		"ReverseDivide, ScalarMin and ScalarMax", string(op))
}

// errZero is for integers only: real numbers have infinities.
var errZero = errors.New("an integer is divided by zero")

// integers applies an operation to integers, which wrap around.
func integers[T int32 | int64](op MathOp, x, y T) (T, error) {
	switch op {
	case Add:
		return x + y, nil
	case Subtract:
		return x - y, nil
	case Multiply:
		return x * y, nil
	case ReverseSubtract:
		return y - x, nil
	case ScalarMin:
		return min(x, y), nil
	case ScalarMax:
		return max(x, y), nil
	case ReverseDivide:
		x, y = y, x
	}
	switch {
	case y == 0:
		return 0, errZero
	case op == Modulus:
		return x % y, nil
	}
	return x / y, nil
}

// reals applies an operation to real numbers. ScalarMin and ScalarMax return NaN if an operand is NaN, and order -0.0
// below 0.0.
func reals[T float32 | float64](op MathOp, x, y T) (T, error) {
	switch op {
	case Add:
		return x + y, nil
	case Subtract:
		return x - y, nil
	case Multiply:
		return x * y, nil
	case Divide:
		return x / y, nil
	case Modulus:
		return T(math.Mod(float64(x), float64(y))), nil
	case ReverseSubtract:
		return y - x, nil
	case ReverseDivide:
		return y / x, nil
	case ScalarMin:
		return min(x, y), nil
	}
	return max(x, y), nil
}

// limits applies an operation to the limits of a column, and swaps them if they cross. It drops limits for which the
// operation has no result.
func limits[T number](low, high *T, f func(T) (T, error)) (*T, *T) {
	through := func(limit *T) *T {
		if limit == nil {
			return nil
		}
		x, err := f(*limit)
		if err != nil {
			return nil
		}
		return &x
	}
	low, high = through(low), through(high)
	if low != nil && high != nil && *low > *high {
		return high, low
	}
	return low, high
}
