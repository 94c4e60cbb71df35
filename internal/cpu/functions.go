package cpu

import (
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/program"
)

// unaryKernel returns the kernel of a function of one element.
func unaryKernel(s *vector.Set, k program.UnaryKind) vector.Unary {
	switch k {
	case program.Neg:
		return s.Neg
	case program.Abs:
		return s.Abs
	case program.Sign:
		return s.Sign
	case program.Sqrt:
		return s.Sqrt
	case program.Square:
		return s.Square
	case program.Reciprocal:
		return s.Reciprocal
	case program.Exp:
		return s.Exp
	case program.Log:
		return s.Log
	case program.Expm1:
		return s.Expm1
	case program.Log1p:
		return s.Log1p
	case program.Tanh:
		return s.Tanh
	case program.Sigmoid:
		return s.Sigmoid
	case program.Softplus:
		return s.Softplus
	case program.Floor:
		return s.Floor
	case program.Flush:
		return s.Flush
	}
	return nil
}

// binaryKernels are the kernels of a function of two elements: for two vectors, and with the second or the first
// operand a number.
type binaryKernels struct {
	vectors     vector.Binary
	right, left vector.Scalar
	weight      int // approximate cost in additions
}

func binaryKernel(s *vector.Set, k program.BinaryKind) binaryKernels {
	switch k {
	case program.Add:
		return binaryKernels{s.Add, s.AddScalar, s.AddScalar, 1}
	case program.Sub:
		return binaryKernels{s.Sub, s.SubScalar, s.ScalarSub, 1}
	case program.Mul:
		return binaryKernels{s.Mul, s.MulScalar, s.MulScalar, 1}
	case program.Div:
		return binaryKernels{s.Div, s.DivScalar, s.ScalarDiv, 4}
	case program.Maximum:
		return binaryKernels{s.Max, s.MaxScalar, s.MaxScalar, 1}
	case program.Minimum:
		return binaryKernels{s.Min, s.MinScalar, s.MinScalar, 1}
	case program.Pow:
		return binaryKernels{s.Pow, s.PowScalar, s.ScalarPow, 30}
	case program.Greater:
		return binaryKernels{s.Greater, s.GreaterScalar, s.ScalarGreater, 1}
	case program.GreaterEqual:
		return binaryKernels{s.GreaterEqual, s.GreaterEqualScalar, s.ScalarGreaterEqual, 1}
	case program.Equal:
		return binaryKernels{s.Equal, s.EqualScalar, s.EqualScalar, 1}
	}
	return binaryKernels{}
}

// unaryWeight returns the approximate cost of a function in additions.
func unaryWeight(k program.UnaryKind) int {
	switch k {
	case program.Neg, program.Abs, program.Square, program.Floor, program.Flush, program.Sign:
		return 1
	case program.Sqrt, program.Reciprocal:
		return 4
	}
	return 10
}
