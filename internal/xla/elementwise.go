package xla

import (
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// unaries are the functions of one element that StableHLO has, by another name.
var unaries = map[program.UnaryKind]string{
	program.Neg: "negate", program.Abs: "abs", program.Sign: "sign", program.Sqrt: "sqrt", program.Exp: "exponential",
	program.Log: "log", program.Expm1: "exponential_minus_one", program.Log1p: "log_plus_one", program.Tanh: "tanh",
	program.Sigmoid: "logistic", program.Floor: "floor",
}

func unaryOf(e *emitter, k program.UnaryKind, x val) val {
	if name := unaries[k]; name != "" {
		return e.unary(name, x)
	}
	switch k {
	case program.Square:
		return e.binary("multiply", x, x)
	case program.Reciprocal:
		return e.binary("divide", e.fill(1, x.shape), x)
	case program.Softplus:
		tail := e.unary("log_plus_one", e.unary("exponential", e.unary("negate", e.unary("abs", x))))
		return e.binary("add", maximum(e, x, e.fill(0, x.shape)), tail)
	case program.Flush:
		tiny := e.compare("LT", e.unary("abs", x), e.fill(0x1p-126, x.shape))
		return e.choose(tiny, e.fill(0, x.shape), x)
	}
	panic(&unsupported{"unary", "there is no function " + string(k)})
}

// binaries are the functions of two elements that StableHLO has.
var binaries = map[program.BinaryKind]string{
	program.Add: "add", program.Sub: "subtract", program.Mul: "multiply", program.Div: "divide", program.Pow: "power",
}

var comparisons = map[program.BinaryKind]string{
	program.Greater: "GT", program.GreaterEqual: "GE", program.Equal: "EQ",
}

func binaryOf(e *emitter, k program.BinaryKind, x, y val, shape tensor.Shape) val {
	x, y = e.repeat(x, shape), e.repeat(y, shape)
	if name := binaries[k]; name != "" {
		return e.binary(name, x, y)
	}
	if direction := comparisons[k]; direction != "" {
		return e.convert(e.compare(direction, x, y), "f32")
	}
	switch k {
	case program.Maximum:
		return maximum(e, x, y)
	case program.Minimum:
		return e.unary("negate", maximum(e, e.unary("negate", x), e.unary("negate", y)))
	}
	panic(&unsupported{"binary", "there is no function " + string(k)})
}

// maximum uses comparisons, because some of XLA's targets lose a NaN in their own maximum.
func maximum(e *emitter, x, y val) val {
	first := e.binary("or", e.compare("NE", x, x), e.compare("GT", x, y))
	return e.choose(first, x, y)
}

// notZero reports which elements are not 0.
func notZero(e *emitter, x val) val { return e.compare("NE", x, e.fill(0, x.shape)) }

func reduction(e *emitter, o program.Reduce, x val) val {
	if o.Kind == program.Max {
		return largest(e, x, o.Dims.List())
	}
	return e.sum(x, o.Dims.List()...)
}

// largest returns the maximum along dims, or NaN if an element is NaN.
func largest(e *emitter, x val, dims []int) val {
	if len(dims) == 0 {
		return x
	}
	top := e.reduce("maximum", x, e.fill(math.Inf(-1), nil), dims)
	none := e.op(nil, "i1", "constant dense<false> : tensor<i1>")
	nan := e.reduce("or", e.compare("NE", x, x), none, dims)
	return e.choose(nan, e.fill(math.NaN(), top.shape), top)
}

func softmax(e *emitter, o program.Softmax, _ *program.Node, in []val) val {
	x, dim := in[0], o.Dim
	var dims []int // of the others
	for d := range x.shape {
		if d != dim {
			dims = append(dims, d)
		}
	}
	top := e.broadcast(largest(e, x, []int{dim}), x.shape, dims)
	y := e.unary("exponential", e.binary("subtract", x, top))
	return e.binary("divide", y, e.broadcast(e.sum(y, dim), x.shape, dims))
}

// uniform returns the random numbers of package internal/random: a hash of the index under two keys, with 32-bit
// arithmetic.
func uniform(e *emitter, o program.Random, _ *program.Node, _ []val) val {
	shape := tensor.Shape(o.To.List())
	n := shape.Size()
	if n >= math.MaxUint32 {
		panic(&unsupported{"random", "2³² numbers are too many"})
	}
	at, declared := e.random[o.Stream]
	if !declared {
		panic(&unsupported{"random", "random numbers are drawn before a loop, not in it"})
	}
	flat := tensor.Shape{n}
	key := func(k int) val {
		word := e.part(e.keys, 0, 2*at+k, 2*at+k+1)
		return e.broadcast(e.reshape(word, nil), flat, nil)
	}
	number := func(x uint32) val { return e.fillInt(int64(x), flat, "ui32") }
	fold := func(x val, shift uint32) val {
		return e.binary("xor", x, e.binary("shift_right_logical", x, number(shift)))
	}
	x := e.binary("add", e.iota(0, flat, "ui32"), key(0))
	x = e.binary("multiply", fold(x, 17), number(0xed5ad4bb))
	x = e.binary("xor", x, key(1))
	x = e.binary("multiply", fold(x, 11), number(0xac4c1b51))
	x = e.binary("multiply", fold(x, 15), number(0x31848bab))
	x = e.convert(e.binary("shift_right_logical", fold(x, 14), number(8)), "f32")
	return e.reshape(e.binary("multiply", x, e.fill(0x1p-24, flat)), shape)
}
