package cpu

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// TestDerivatives: products with the derivatives of tanh, the logistic function and the rectifier are one step, with
// the same bits, in both orders of their factors. They are several where a part of them is a result, too.
func TestDerivatives(t *testing.T) {
	const n = 1500
	for _, of := range []string{"tanh", "sigmoid", "relu"} {
		for _, first := range []bool{false, true} {
			build := func(apart bool) *program.Program {
				b := program.NewBuilder()
				d, y := b.Input("d", n), b.Input("y", n)
				var rest, derivative *program.Value
				switch of {
				case "tanh":
					rest = b.Unary(program.Square, y)
					derivative = b.Sub(b.Scalar(1), rest)
				case "sigmoid":
					rest = b.Sub(b.Scalar(1), y)
					derivative = b.Mul(y, rest)
				default:
					rest = b.Binary(program.Greater, y, b.Scalar(0))
					derivative = rest
				}
				x, z := d, derivative
				if first {
					x, z = derivative, d
				}
				b.Output("x", b.Mul(x, z))
				if apart {
					b.Output("rest", rest)
				}
				return b.Build()
			}
			p, apart, several := build(false), build(true), 3
			if of == "relu" {
				several = 2
			}
			b := programtest.Bind(p, -1, 1)
			check(t, fmt.Sprint("derivative of ", of, first), p, b)
			for _, v := range kernel.Available() {
				e := executors[v][1]
				if got, want := countSteps(t, e, p), 1; got != want {
					t.Errorf("%v, %s, first %v: %d steps, want %d", v, of, first, got, want)
				}
				if got, want := countSteps(t, e, apart), several; got != want {
					t.Errorf("%v, %s, first %v: %d steps with a further output, want %d", v, of, first, got, want)
				}
				got, want := bits(runs(t, e, p, b, 1))[0], bits(runs(t, e, apart, b, 1))[0]
				if got != want {
					t.Errorf("%v, %s, first %v: other bits than by several steps", v, of, first)
				}
			}
		}
	}
}

// countSteps returns the number of steps of a program's groups.
func countSteps(t *testing.T, e *Executor, p *program.Program) (n int) {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range x.(*Executable).code {
		if g, ok := in.(*group); ok {
			n += len(g.steps)
		}
	}
	return n
}
