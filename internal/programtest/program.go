package programtest

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

// Data makes elements in [lo, hi) that depend on a seed.
func Data(seed uint64, n int, lo, hi float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(lo + (hi-lo)*float64(random.Uniform(seed, uint64(i))))
	}
	return x
}

// Bind makes the inputs and vectors of a program.
func Bind(p *program.Program, lo, hi float64) *program.Bindings {
	b := &program.Bindings{Key: program.Key{Seed: 1, Epoch: 2, Example: 3}}
	for i, v := range p.Inputs {
		b.Inputs = append(b.Inputs, Data(uint64(i), v.Shape.Size(), lo, hi))
	}
	for k, n := range p.Lengths {
		b.Vectors[k] = Data(uint64(100+k), n, lo, hi)
	}
	return b
}

// Deviation describes how two elements differ beyond rounding; "" if they don't.
func Deviation(got, want []float32, tolerance float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d elements, want %d", len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		if a := math.Abs(float64(w)); !math.IsInf(a, 0) && !math.IsNaN(a) {
			scale = max(scale, a)
		}
	}
	for i, w := range want {
		if !near.OrNaN(got[i], w, tolerance*(1+0.1*scale), tolerance) {
			return fmt.Sprintf("element %d is %g, want %g", i, got[i], w)
		}
	}
	return ""
}

// Function returns the program of one formula: its value is an output, and its gradients are stored.
func Function(shapes [][]int, f Formula) (p *program.Program, err error) {
	b := program.NewBuilder()
	err = program.Try(func() { emit(b, "", 0, shapes, f) })
	return b.Build(), err
}

// emit emits a formula, with a prefix to the names of its inputs and outputs. It stores the gradients from offset at
// on, and returns the offset after them.
func emit(b *program.Builder, prefix string, at int, shapes [][]int, f Formula) int {
	var x []*program.Value
	for i, s := range shapes {
		x = append(x, b.Input(prefix+string(rune('a'+i)), s...))
	}
	y := f(b, x)
	b.Output(prefix+"y", y)
	seed := b.Unary(program.Tanh, b.Add(b.Random(99, y.Shape...), y))
	for i, g := range b.Gradients(y, b.StopGradient(seed), x) {
		if g != nil {
			b.Store(program.Gradient, at, g)
			b.Output(prefix+"gradient"+string(rune('a'+i)), b.Mul(g, b.Scalar(2)))
			at += g.Shape.Size()
		}
	}
	return at
}

// Joined is a program of many independent formulas, for executors that take long to compile a program. Names begin
// with the formula's name and a colon.
type Joined struct {
	b      *program.Builder
	at     int
	inputs [][2]float64
}

// NewJoined returns an empty program.
func NewJoined() *Joined { return &Joined{b: program.NewBuilder()} }

// Add adds a formula whose operands' elements are in [lo, hi). Its parameters are those of Operations's callback.
func (j *Joined) Add(name string, lo, hi float64, f Formula, shapes ...[]int) error {
	for range shapes {
		j.inputs = append(j.inputs, [2]float64{lo, hi})
	}
	return program.Try(func() { j.at = emit(j.b, name+":", j.at, shapes, f) })
}

// Build returns the program, with inputs and vectors for it.
func (j *Joined) Build() (*program.Program, *program.Bindings) {
	p := j.b.Build()
	b := Bind(p, 0, 1)
	for i, r := range j.inputs {
		b.Inputs[i] = Data(uint64(i), len(b.Inputs[i]), r[0], r[1])
	}
	return p, b
}
