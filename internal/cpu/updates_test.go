package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// moves stores an update of n parameters. If shared, it is added to the residual, times a number.
func moves(b *program.Builder, n int, shared bool, params, update *program.Value) {
	if shared {
		b.Store(program.Residual, 0, b.Add(b.View(program.Residual, 0, n), b.Mul(update, b.Input("times"))))
	} else {
		b.Store(program.Params, 0, b.Sub(params, update))
	}
}

// momentumUpdate is an update of n parameters with Nesterov's momentum and L2 regularisation. If apart, it also has the
// velocity as an output.
func momentumUpdate(n int, l2, shared, apart bool) *program.Program {
	b := program.NewBuilder()
	rate, m := b.Input("rate"), b.Input("momentum")
	v, g, params := b.View(program.State, 0, n), b.View(program.Gradient, 0, n), b.View(program.Params, 0, n)
	if l2 {
		g = b.Add(g, b.Mul(params, b.Fill(0.01)))
	}
	old := b.Mul(m, v)
	w := b.Sub(old, b.Mul(rate, g))
	b.Store(program.State, 0, b.Unary(program.Flush, w))
	moves(b, n, shared, params, b.Sub(old, b.Mul(b.Add(m, b.Fill(1)), w)))
	if apart {
		b.Output("velocity", w)
	}
	return b.Build()
}

// adamUpdate is an update of n parameters by Adam with L2 regularisation. If apart, it also has the average as an
// output.
func adamUpdate(n int, l2, shared, apart bool) *program.Program {
	b := program.NewBuilder()
	rate, g, params := b.Input("rate"), b.View(program.Gradient, 0, n), b.View(program.Params, 0, n)
	if l2 {
		g = b.Add(g, b.Mul(params, b.Fill(0.01)))
	}
	moving := func(beta float64, old, x *program.Value) *program.Value {
		return b.Add(b.Mul(b.Fill(beta), old), b.Mul(b.Fill(1-beta), x))
	}
	mean := moving(0.9, b.View(program.State, 0, n), g)
	variance := moving(0.999, b.View(program.State, n, n), b.Unary(program.Square, g))
	b.Store(program.State, 0, b.Unary(program.Flush, mean))
	b.Store(program.State, n, b.Unary(program.Flush, variance))
	root := b.Add(b.Unary(program.Sqrt, variance), b.Fill(1e-8))
	moves(b, n, shared, params, b.Div(b.Mul(rate, mean), root))
	if apart {
		b.Output("average", mean)
	}
	return b.Build()
}

// TestUpdatesInOneStep: the steps of an update are one, with the same bits.
func TestUpdatesInOneStep(t *testing.T) {
	for name, u := range map[string]struct {
		update func(n int, l2, shared, apart bool) *program.Program
		form   form
	}{"momentum": {momentumUpdate, momentumForm}, "Adam": {adamUpdate, adamForm}} {
		for _, n := range []int{2, 17, 1024, 5001} {
			for k := range 4 {
				l2, shared := k&1 > 0, k&2 > 0
				p, apart := u.update(n, l2, shared, false), u.update(n, l2, shared, true)
				b := programtest.Bind(p, 0.1, 0.9)
				check(t, fmt.Sprint(name, n, l2, shared), p, b)
				for _, v := range kernel.Available() {
					e := executors[v][1]
					if joins(t, e, apart, u.form) || !joins(t, e, p, u.form) {
						t.Errorf("%s, %v, %d parameters: one step with a further output, or several without", name, v, n)
					}
					got, want := bits(runs(t, e, p, b, 3)), bits(runs(t, e, apart, b, 3)[1:])
					for i := range want {
						if got[i] != want[i] {
							t.Errorf("%s, %v, %d parameters, L2 %v, shared %v: vector %d has other bits than by several steps",
								name, v, n, l2, shared, i)
						}
					}
				}
			}
		}
	}
}

// joins reports whether a program has a step of this form.
func joins(t *testing.T, e *Executor, p *program.Program, f form) bool {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range x.(*Executable).code {
		if g, ok := in.(*group); ok && slices.ContainsFunc(g.steps, func(s step) bool { return s.form == f }) {
			return true
		}
	}
	return false
}
