package cpu

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

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
			bound := programtest.Bind(p, -0.1, 0.1)
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
	states, _, _ := b.Scan(program.Loop{Steps: steps}, values{rw, peephole}, values{zero, zero}, values{z},
		programtest.LSTM)
	y := b.SumAll(b.Unary(program.Square, states[0]))
	b.Output("y", y)
	at := 0
	for _, g := range b.Gradients(y, nil, values{w, rw, bias, peephole}) {
		b.Store(program.Gradient, at, g)
		at += g.Shape.Size()
	}
	return b.Build()
}
