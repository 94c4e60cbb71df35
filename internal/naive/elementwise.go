package naive

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

var unaries = map[program.UnaryKind]func(x float64) float64{
	program.Neg:        func(x float64) float64 { return -x },
	program.Abs:        math.Abs,
	program.Sign:       sign,
	program.Sqrt:       math.Sqrt,
	program.Square:     func(x float64) float64 { return x * x },
	program.Reciprocal: func(x float64) float64 { return 1 / x },
	program.Exp:        math.Exp,
	program.Log:        math.Log,
	program.Expm1:      math.Expm1,
	program.Log1p:      math.Log1p,
	program.Tanh:       math.Tanh,
	program.Sigmoid:    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	program.Softplus:   func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
	program.Floor:      math.Floor,
	program.Flush:      flush,
}

var binaries = map[program.BinaryKind]func(x, z float64) float64{
	program.Add:          func(x, z float64) float64 { return x + z },
	program.Sub:          func(x, z float64) float64 { return x - z },
	program.Mul:          func(x, z float64) float64 { return x * z },
	program.Div:          func(x, z float64) float64 { return x / z },
	program.Maximum:      maximum,
	program.Minimum:      func(x, z float64) float64 { return -maximum(-x, -z) },
	program.Pow:          math.Pow,
	program.Greater:      func(x, z float64) float64 { return number(x > z) },
	program.GreaterEqual: func(x, z float64) float64 { return number(x >= z) },
	program.Equal:        func(x, z float64) float64 { return number(x == z) },
}

func sign(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return number(x > 0) - number(x < 0)
}

func flush(x float64) float64 {
	if math.Abs(x) < 0x1p-126 {
		return 0
	}
	return x
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// maximum returns NaN if an operand is NaN, even if the other is infinite, unlike math.Max.
func maximum(x, z float64) float64 {
	if math.IsNaN(x) || x > z {
		return x
	}
	return z
}

func unary[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	f := unaries[n.Op.(program.Unary).Kind]
	return func() {
		for i, x := range in[0] {
			out[0][i] = T(f(float64(x)))
		}
	}
}

func binary[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	f := binaries[n.Op.(program.Binary).Kind]
	xi, zi := repeated(n.Out[0].Shape, n.In[0].Shape), repeated(n.Out[0].Shape, n.In[1].Shape)
	return func() {
		for i := range out[0] {
			out[0][i] = T(f(float64(in[0][xi[i]]), float64(in[1][zi[i]])))
		}
	}
}

func choose[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	y := n.Out[0].Shape
	ci, xi, zi := repeated(y, n.In[0].Shape), repeated(y, n.In[1].Shape), repeated(y, n.In[2].Shape)
	return func() {
		for i := range out[0] {
			if in[0][ci[i]] != 0 {
				out[0][i] = in[1][xi[i]]
			} else {
				out[0][i] = in[2][zi[i]]
			}
		}
	}
}
