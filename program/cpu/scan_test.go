package cpu

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/program"
)

// lstm is the step of an LSTM with peepholes: z is the input's part of the pre-activations.
func lstm(b *program.Builder, inv, s, x values) (next, results values) {
	z := b.Add(x[0], b.Apply(program.MatMul{TransB: true}, s[0], inv[0]))
	p := b.Split(z, 1, 4)
	sigmoid := func(v *program.Value) *program.Value { return b.Unary(program.Sigmoid, v) }
	c := b.Add(b.Mul(sigmoid(b.Add(p[1], b.Mul(s[1], inv[1]))), s[1]), b.Mul(sigmoid(p[3]), b.Unary(program.Tanh, p[0])))
	return values{b.Mul(sigmoid(p[2]), b.Unary(program.Tanh, c)), c}, nil
}

// loops are programs with a loop, for TestOperations.
func loops(one func(name string, lo, hi float64, f func(b *program.Builder, x values) *program.Value, shapes ...[]int)) {
	for _, c := range [][3]int{{1, 1, 1}, {5, 3, 7}, {9, 40, 30}, {3, 1, 160}} {
		steps, rows, n := c[0], c[1], c[2]
		for _, reverse := range []bool{false, true} {
			for what := range 3 {
				one(fmt.Sprintf("scan, reverse %t, of %d, ", reverse, what), -1, 1, func(b *program.Builder, x values) *program.Value {
					states, _, last := b.Scan(program.Loop{Steps: steps, Reverse: reverse}, x[:2], values{b.Fill(0, rows, n), x[2]}, x[3:], lstm)
					switch what {
					case 0:
						return states[0]
					case 1:
						return last[1]
					}
					return b.Add(b.Transpose(states[0], 1, 2, 0), b.Reshape(last[0], rows, n, 1))
				}, []int{4 * n, n}, []int{n}, []int{rows, n}, []int{steps, rows, 4 * n})
			}
		}
	}
	one("scan of a state that stays and one that is a constant", -1, 1, func(b *program.Builder, x values) *program.Value {
		states, results, last := b.Scan(program.Loop{Steps: 4}, nil, x[1:], x[:1], func(b *program.Builder, _, s, x values) (next, results values) {
			return values{s[0], b.Fill(2, 3), s[1]}, values{b.Mul(b.Random(3, 3), b.Add(s[1], b.Add(s[2], x[0])))}
		})
		return b.Add(b.Add(results[0], states[2]), b.Add(last[0], last[1]))
	}, []int{4, 3}, []int{3}, []int{3}, []int{3})
	one("split", -1, 1, func(b *program.Builder, x values) *program.Value {
		p, q := b.Split(x[0], 1, 3), b.Split(x[0], 0, 2)
		return b.Add(b.SumAll(b.Mul(p[0], p[2])), b.Mul(q[0], q[1]))
	}, []int{4, 6})
}

// BenchmarkLSTM is a forward and backward pass of a layer of 200 units over 50 steps of 64 rows of 77 elements.
func BenchmarkLSTM(b *testing.B) {
	const in, n, steps, rows = 77, 200, 50, 64
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			p := lstmProgram(in, n, steps, rows)
			e := New(Options{Threads: threads})
			defer e.Close()
			x, err := e.Compile(p)
			if err != nil {
				b.Fatal(err)
			}
			bound := bind(p, -0.1, 0.1)
			for b.Loop() {
				if err := x.Run(bound); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(x.Memory())/1e6, "MB")
		})
	}
}

func lstmProgram(in, n, steps, rows int) *program.Program {
	b := program.NewBuilder()
	x := b.Input("x", rows, in, steps)
	w := b.View(program.Params, 0, 4*n, in)
	rw := b.View(program.Params, 4*n*in, 4*n, n)
	bias := b.View(program.Params, 4*n*(in+n), 4*n)
	peephole := b.View(program.Params, 4*n*(in+n+1), n)
	z := b.Apply(program.MatMul{TransB: true}, b.Reshape(b.Transpose(x, 2, 0, 1), steps*rows, in), w)
	z = b.Reshape(b.Add(z, bias), steps, rows, 4*n)
	zero := b.Fill(0, rows, n)
	states, _, _ := b.Scan(program.Loop{Steps: steps}, values{rw, peephole}, values{zero, zero}, values{z}, lstm)
	y := b.SumAll(b.Unary(program.Square, states[0]))
	b.Output("y", y)
	at := 0
	for _, g := range b.Gradients(y, nil, values{w, rw, bias, peephole}) {
		b.Store(program.Gradient, at, g)
		at += g.Shape.Size()
	}
	return b.Build()
}
