package programtest

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
)

// LSTM is the step of an LSTM with peepholes: z is the input's part of the pre-activations.
func LSTM(b *program.Builder, inv, s, x values) (next, results values) {
	z := b.Add(x[0], b.Apply(program.MatMul{TransB: true}, s[0], inv[0]))
	p := b.Split(z, 1, 4)
	sigmoid := func(v *program.Value) *program.Value { return b.Unary(program.Sigmoid, v) }
	c := b.Add(b.Mul(sigmoid(b.Add(p[1], b.Mul(s[1], inv[1]))), s[1]), b.Mul(sigmoid(p[3]), b.Unary(program.Tanh, p[0])))
	return values{b.Mul(sigmoid(p[2]), b.Unary(program.Tanh, c)), c}, nil
}

// loops are formulas with a loop.
func loops(one func(name string, lo, hi float64, f Formula, shapes ...[]int)) {
	for _, c := range [][3]int{{1, 1, 1}, {5, 3, 7}, {9, 40, 30}, {3, 1, 160}} {
		steps, rows, n := c[0], c[1], c[2]
		for _, reverse := range []bool{false, true} {
			for what := range 3 {
				name := fmt.Sprintf("scan, reverse %t, of %d, ", reverse, what)
				one(name, -1, 1, func(b *program.Builder, x values) *program.Value {
					initial := values{b.Fill(0, rows, n), x[2]}
					states, _, last := b.Scan(program.Loop{Steps: steps, Reverse: reverse}, x[:2], initial, x[3:], LSTM)
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
		step := func(b *program.Builder, _, s, x values) (next, results values) {
			return values{s[0], b.Fill(2, 3), s[1]}, values{b.Mul(b.Random(3, 3), b.Add(s[1], b.Add(s[2], x[0])))}
		}
		states, results, last := b.Scan(program.Loop{Steps: 4}, nil, x[1:], x[:1], step)
		return b.Add(b.Add(results[0], states[2]), b.Add(last[0], last[1]))
	}, []int{4, 3}, []int{3}, []int{3}, []int{3})
	one("split", -1, 1, func(b *program.Builder, x values) *program.Value {
		p, q := b.Split(x[0], 1, 3), b.Split(x[0], 0, 2)
		return b.Add(b.SumAll(b.Mul(p[0], p[2])), b.Mul(q[0], q[1]))
	}, []int{4, 6})
}
