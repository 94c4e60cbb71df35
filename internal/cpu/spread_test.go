package cpu

import (
	"errors"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/program"
)

// large is a step whose arena and vectors take 9 MiB each, and which takes little time.
func large(t *testing.T, e *Executor) *stepped {
	const rows, columns = 1 << 10, 9 << 8
	n := &net{Builder: program.NewBuilder()}
	y := n.Apply(program.MatMul{}, n.Input("features", rows, 2), n.Input("factors", 2, columns))
	n.Output("y", n.Apply(program.Reduce{Kind: program.Sum, Dims: "1"}, y))
	n.Store(program.Gradient, 0, n.Mul(n.param(rows*columns), n.Scalar(2)))
	return newStep(t, e, n.Build(), nesterovs)
}

// TestSpread: an executor on several nodes places its arena and the vectors once, has the bits of another one, and
// allocates nothing.
func TestSpread(t *testing.T) {
	plain := large(t, executor(t, 2, kernel.Best()))
	e := executor(t, 2, kernel.Best())
	var placed []int
	e.spread = spread{nodes: []numa.Node{{Number: 0}}, place: func(x []float32, on []numa.Node) error {
		placed = append(placed, len(x))
		if err := numa.Interleave(x, on); err != nil {
			t.Log("placed by nobody:", err)
		}
		return nil
	}}
	s := large(t, e)
	for range 3 {
		plain.run(t)
		s.run(t)
	}
	for _, v := range []program.Vector{program.Params, program.Gradient, program.State} {
		of := func(s *stepped) []float32 { return s.b[1].Vectors[v] }
		if !slices.Equal(of(s), of(plain)) {
			t.Errorf("%v differs from that of memory on one node", v)
		}
	}
	n := len(s.b[0].Vectors[program.Params])
	if want := []int{len(e.arena), n, n, n}; !slices.Equal(placed, want) {
		t.Errorf("memories of %v elements were placed, want %v", placed, want)
	}
	if n := allocs.PerRun(10, func() { s.run(t) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	other := large(t, e)
	placed = nil
	if other.run(t); len(placed) == 0 {
		t.Error("the vectors of another network were not placed")
	}
}

// TestSpreadRefused: where Linux refuses to place memory, steps go on, and it is not asked again.
func TestSpreadRefused(t *testing.T) {
	e := executor(t, 2, kernel.Best())
	asked := 0
	e.spread = spread{nodes: []numa.Node{{Number: 0}}, place: func([]float32, []numa.Node) error {
		asked++
		return errors.New("operation not permitted")
	}}
	s := large(t, e)
	s.run(t)
	s.run(t)
	if asked != 1 {
		t.Errorf("Linux was asked %d times", asked)
	}
}
