package cpu

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// net builds the programs of one training step by hand: the gradient, and the update from it.
type net struct {
	*program.Builder
	at     int // parameters so far
	params values
	starts []int
}

func (n *net) param(shape ...int) *program.Value {
	v := n.View(program.Params, n.at, shape...)
	n.params, n.starts = append(n.params, v), append(n.starts, n.at)
	n.at += v.Shape.Size()
	return v
}

func (n *net) dense(x *program.Value, out int) *program.Value {
	w := n.param(out, x.Shape[1])
	return n.Add(n.Apply(program.MatMul{TransB: true}, x, w), n.param(out))
}

func (n *net) conv(x *program.Value, filters, size int) *program.Value {
	bias := n.param(filters)
	w := n.param(filters, x.Shape[1], size, size)
	unit := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	return n.Add(n.Apply(program.Conv2D{Window: unit}, x, w), n.Reshape(bias, filters, 1, 1))
}

func (n *net) pool(x *program.Value) *program.Value {
	w := program.Window{StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1}
	return n.Apply(program.Pool2D{Kind: program.MaxPool, KH: 2, KW: 2, Window: w}, x)
}

// gradient stores the gradient of the mean cross entropy of a softmax.
func (n *net) gradient(z *program.Value) *program.Program {
	labels := n.Input("labels", z.Shape...)
	p := n.Apply(program.Softmax{Dim: 1}, z)
	e := n.Neg(n.Mul(labels, n.Unary(program.Log, n.Clip(p, 1e-10, 1))))
	rows := n.Sum(n.WithGradient(e, z, n.Sub(p, labels)), 1)
	n.Output("loss", n.SumAll(rows))
	for i, g := range n.Gradients(rows, n.Fill(1/float64(z.Shape[0]), z.Shape[0]), n.params) {
		n.Store(program.Gradient, n.starts[i], g)
	}
	return n.Build()
}

func mlp(batch int) *program.Program {
	n := &net{Builder: program.NewBuilder()}
	x := n.Max(n.dense(n.Input("features", batch, 784), 500), n.Scalar(0))
	return n.gradient(n.dense(x, 10))
}

func lenet(batch int) *program.Program {
	n := &net{Builder: program.NewBuilder()}
	x := n.pool(n.conv(n.Input("features", batch, 1, 28, 28), 20, 5))
	x = n.pool(n.conv(x, 50, 5))
	x = n.Max(n.dense(n.Reshape(x, batch, 800), 500), n.Scalar(0))
	return n.gradient(n.dense(x, 10))
}

// nesterovs is the update of size parameters: v' = μv − αg; params −= μv − (1+μ)v'.
func nesterovs(size int) *program.Program {
	b := program.NewBuilder()
	alpha, mu := b.Input("alpha"), b.Input("mu")
	w, g, v := b.View(program.Params, 0, size), b.View(program.Gradient, 0, size), b.View(program.State, 0, size)
	mv := b.Mul(mu, v)
	next := b.Sub(mv, b.Mul(alpha, g))
	b.Store(program.State, 0, next)
	b.Store(program.Params, 0, b.Sub(w, b.Sub(mv, b.Mul(b.Add(mu, b.Scalar(1)), next))))
	return b.Build()
}

// adam is the update of size parameters.
func adam(size int) *program.Program {
	b := program.NewBuilder()
	alpha := b.Input("alpha")
	w, g := b.View(program.Params, 0, size), b.View(program.Gradient, 0, size)
	moving := func(beta float64, old, x *program.Value) *program.Value {
		return b.Add(b.Mul(b.Scalar(beta), old), b.Mul(b.Scalar(1-beta), x))
	}
	m := moving(0.9, b.View(program.State, 0, size), g)
	v := moving(0.999, b.View(program.State, size, size), b.Unary(program.Square, g))
	b.Store(program.State, 0, m)
	b.Store(program.State, size, v)
	b.Store(program.Params, 0, b.Sub(w, b.Div(b.Mul(alpha, m), b.Add(b.Unary(program.Sqrt, v), b.Scalar(1e-8)))))
	return b.Build()
}

// stepped is a training step: programs with their bindings.
type stepped struct {
	x []program.Executable
	b []*program.Bindings
}

func newStep(t testing.TB, e *Executor, gradient *program.Program, update func(size int) *program.Program) *stepped {
	p := []*program.Program{gradient, update(gradient.Lengths[program.Params])}
	s := &stepped{}
	for i := range p {
		x, err := e.Compile(p[i])
		if err != nil {
			t.Fatal(err)
		}
		b := programtest.Bind(p[i], -0.05, 0.05)
		if i > 0 {
			b.Vectors[program.Params], b.Vectors[program.Gradient] = s.b[0].Vectors[program.Params],
				s.b[0].Vectors[program.Gradient]
			b.Inputs[0][0] = 1e-3
		}
		s.x, s.b = append(s.x, x), append(s.b, b)
	}
	return s
}

func (s *stepped) run(t testing.TB) {
	for i, x := range s.x {
		if err := x.Run(s.b[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name     string
		gradient *program.Program
		update   func(size int) *program.Program
	}{{"mlp", mlp(64), nesterovs}, {"lenet", lenet(64), adam}} {
		for _, threads := range []struct {
			name string
			n    int
		}{{"1thread", 1}, {"2threads", 2}} {
			b.Run(c.name+"/"+threads.name, func(b *testing.B) {
				e := New(Options{Threads: threads.n})
				defer e.Close()
				s := newStep(b, e, c.gradient, c.update)
				least := time.Hour // the minimum, since other processes disturb the mean
				for b.Loop() {
					start := time.Now()
					s.run(b)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least), "min-ns/op")
			})
		}
	}
}
