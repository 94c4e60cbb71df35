package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// momentumUpdate is an update of n parameters with Nesterov's momentum and L2 regularisation. If shared, it is added to
// the residual, times a number. If apart, it also has the velocity as an output.
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
	update := b.Sub(old, b.Mul(b.Add(m, b.Fill(1)), w))
	if shared {
		b.Store(program.Residual, 0, b.Add(b.View(program.Residual, 0, n), b.Mul(update, b.Input("times"))))
	} else {
		b.Store(program.Params, 0, b.Sub(params, update))
	}
	if apart {
		b.Output("velocity", w)
	}
	return b.Build()
}

// TestMomentum: the steps of the update are one, with the same bits.
func TestMomentum(t *testing.T) {
	for _, n := range []int{2, 17, 1024, 5001} {
		for k := range 4 {
			l2, shared := k&1 > 0, k&2 > 0
			p, apart := momentumUpdate(n, l2, shared, false), momentumUpdate(n, l2, shared, true)
			b := programtest.Bind(p, 0.1, 0.9)
			check(t, fmt.Sprint("momentum ", n, l2, shared), p, b)
			for _, v := range kernel.Available() {
				e := executors[v][1]
				if joinsMomentum(t, e, apart) || !joinsMomentum(t, e, p) {
					t.Errorf("%v, %d parameters: one step with the velocity as an output, or several without", v, n)
				}
				got, want := bits(runs(t, e, p, b, 3)), bits(runs(t, e, apart, b, 3)[1:])
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("%v, %d parameters, L2 %v, shared %v: vector %d has other bits than by several steps", v, n, l2,
							shared, i)
					}
				}
			}
		}
	}
}

// joinsMomentum reports whether the update of a program is one step.
func joinsMomentum(t *testing.T, e *Executor, p *program.Program) bool {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range x.(*Executable).code {
		if g, ok := in.(*group); ok && slices.ContainsFunc(g.steps, func(s step) bool { return s.form == momentumForm }) {
			return true
		}
	}
	return false
}
