package programtest

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// generator draws random programs: a directed graph of operations over a few shapes, with its gradients, with reads of
// vectors and stores into ranges that may be the ones that were read.
type generator struct {
	*program.Builder
	r      *random.Source
	values values
}

func (g *generator) pick() *program.Value { return g.values[g.r.Intn(len(g.values))] }

func (g *generator) of(rank int) *program.Value {
	for range 20 {
		if v := g.pick(); len(v.Shape) == rank {
			return v
		}
	}
	return nil
}

// bounded keeps values in a range where single precision is enough.
func (g *generator) bounded(v *program.Value) *program.Value { return g.Unary(program.Tanh, v) }

func (g *generator) step() *program.Value {
	switch g.r.Intn(16) {
	case 0, 1, 2:
		kinds := []program.UnaryKind{program.Neg, program.Abs, program.Square, program.Tanh, program.Sigmoid,
			program.Softplus, program.Exp, program.Expm1}
		return g.Unary(kinds[g.r.Intn(len(kinds))], g.pick())
	case 3, 4, 5, 6, 7:
		kinds := []program.BinaryKind{program.Add, program.Sub, program.Mul, program.Maximum, program.Minimum,
			program.Add, program.Mul}
		x, y := g.pick(), g.pick()
		if _, err := program.Broadcast(x.Shape, y.Shape); err != nil {
			return nil
		}
		return g.Binary(kinds[g.r.Intn(len(kinds))], x, y)
	case 8:
		x, y := g.pick(), g.pick()
		if _, err := program.Broadcast(x.Shape, y.Shape); err != nil {
			return nil
		}
		return g.Select(g.Binary(program.Greater, g.Random(uint64(g.r.Intn(3)), x.Shape...), g.Scalar(0.5)), x, y)
	case 9:
		x := g.pick()
		if len(x.Shape) == 0 {
			return nil
		}
		var dims []int
		for i := range x.Shape {
			if g.r.Intn(2) == 0 {
				dims = append(dims, i)
			}
		}
		kind := []program.ReduceKind{program.Sum, program.Max}[g.r.Intn(2)]
		return g.bounded(g.Apply(program.Reduce{Kind: kind, Dims: program.Dims(dims...), Keep: g.r.Intn(2) == 0}, x))
	case 10:
		if x := g.of(2); x != nil {
			if y := g.of(2); y != nil {
				for mode := range 4 {
					op := program.MatMul{TransA: mode&1 != 0, TransB: mode&2 != 0, OverBatch: g.r.Intn(2) == 0}
					if _, err := op.Infer([]tensor.Shape{x.Shape, y.Shape}); err == nil {
						return g.bounded(g.Apply(op, x, y))
					}
				}
			}
		}
	case 11:
		if x := g.of(2); x != nil {
			return g.Transpose(x, 1, 0)
		}
	case 12:
		x := g.pick()
		if len(x.Shape) > 0 {
			d := g.r.Intn(len(x.Shape))
			if n := x.Shape[d]; n > 1 {
				from := g.r.Intn(n)
				return g.Slice(x, d, from, from+1+g.r.Intn(n-from))
			}
		}
	case 13:
		x := g.pick()
		return g.Reshape(x, x.Shape.Size())
	case 14:
		if x := g.of(4); x != nil {
			w := program.Window{StrideH: 1 + g.r.Intn(2), StrideW: 1, DilationH: 1, DilationW: 1, PadTop: g.r.Intn(2),
				PadLeft: 1, PadRight: g.r.Intn(2)}
			if x.Shape[2] < 2 || x.Shape[3] < 2 {
				return nil
			}
			switch g.r.Intn(3) {
			case 0:
				w := g.bounded(g.Apply(program.Conv2D{Window: w}, x, g.View(program.Params, 0, 3, x.Shape[1], 2, 2)))
				return g.Add(w, g.View(program.Params, 5, 3, 1, 1))
			case 1:
				return g.Apply(program.Pool2D{Kind: program.AveragePool, KH: 2, KW: 2, Window: w}, x)
			}
			if x.Shape[0]*x.Shape[2] > 8 {
				return g.ApplyAll(program.BatchNorm{Eps: 0.1}, x, g.View(program.Params, 1, x.Shape[1]),
					g.View(program.Params, 3, x.Shape[1]))[g.r.Intn(3)]
			}
		}
	case 15:
		if x := g.pick(); len(x.Shape) > 0 {
			switch d := g.r.Intn(len(x.Shape)); g.r.Intn(3) {
			case 0:
				return g.Apply(program.Softmax{Dim: d}, x)
			case 1:
				return g.Apply(program.Pad{Dim: d, Before: g.r.Intn(3), After: 1}, x)
			default:
				return g.Concat(d, x, g.bounded(x))
			}
		}
	}
	return nil
}

func (g *generator) program(steps int) *program.Program {
	m, n := 1+g.r.Intn(9), 1+g.r.Intn(700)
	if g.r.Intn(3) > 0 {
		n = 1 + g.r.Intn(12)
	}
	shapes := [][]int{{m, n}, {n}, {m, 1}, {}, {1 + g.r.Intn(3), 3, 1 + g.r.Intn(7), 1 + g.r.Intn(7)}, {3, 1, 1}}
	for i, s := range shapes {
		g.values = append(g.values, g.Input(string(rune('a'+i)), s...))
	}
	flat := m * n
	for i := range 4 {
		g.values = append(g.values, g.View(program.State, i*flat, m, n))
	}
	g.values = append(g.values, g.View(program.State, flat/2, m, n), g.View(program.Params, 0, n), g.Scalar(0.5),
		g.Fill(-0.5, m, n))
	read := len(g.values)
	for len(g.values) < read+steps {
		if v := g.step(); v != nil && v.Shape.Size() < 100000 {
			g.values = append(g.values, v)
		}
	}
	y := g.values[len(g.values)-1]
	for _, v := range g.values[read:] {
		y = g.Add(g.SumAll(v), g.SumAll(y))
	}
	for _, d := range g.Gradients(y, nil, g.values[:read]) {
		if d != nil && g.r.Intn(2) == 0 {
			g.values = append(g.values, g.bounded(d))
		}
	}
	at := 0
	for range 5 { // stores into the ranges that are read, and others
		v := g.pick()
		if g.r.Intn(3) > 0 {
			for range 50 {
				if v = g.pick(); v.Shape.Size() == flat {
					break
				}
			}
		}
		g.Store(program.State, at, v)
		at += v.Shape.Size() + g.r.Intn(2)
	}
	g.Store(program.Params, 0, g.pick())
	for i := range 3 {
		g.Output(fmt.Sprint(i), g.pick())
	}
	return g.Build()
}

// Random draws a program of about the given number of operations.
func Random(seed uint64, operations int) (p *program.Program, err error) {
	g := &generator{Builder: program.NewBuilder(), r: random.NewSource(seed)}
	err = program.Try(func() { p = g.program(operations) })
	return p, err
}
