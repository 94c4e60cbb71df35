package updater

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/program"
)

// matrixCase has steps of Keras: see testdata/matrices.py.
type matrixCase struct {
	Updater json.RawMessage
	Shape   []int
	Params  []float64
	Steps   []struct {
		Gradient, Params []float64
		State            [][]float64
	}
}

// matrixStepper runs the formula of a [Shaped] for a parameter in float64.
type matrixStepper struct {
	u     Updater
	p     *program.Program
	run   *naive.Executable[float64]
	w     []float64
	state [][]float64
}

func newMatrixStepper(t *testing.T, of Shaped, p Parameter, w []float64) *matrixStepper {
	t.Helper()
	s := &matrixStepper{u: of.For(p), w: slices.Clone(w)}
	b := program.NewBuilder()
	params, g := b.Input("w", len(w)), b.Input("g", len(w))
	var state, scalars []*program.Value
	for i := range s.u.States() {
		n := len(w)
		if sized, ok := s.u.(Sized); ok {
			n = sized.StateSize(i)
		}
		state = append(state, b.Input(fmt.Sprint("state", i), n))
		s.state = append(s.state, slices.Repeat([]float64{s.u.InitialState(i)}, n))
	}
	for i := range s.u.Scalars(0, 0) {
		scalars = append(scalars, b.Input(fmt.Sprint("scalar", i)))
	}
	update, next := s.u.Emit(b, g, state, scalars)
	if u, ok := s.u.(Weighted); ok {
		update, next = u.EmitFor(b, params, g, state, scalars)
	}
	b.Output("params", b.Sub(params, update))
	for i, v := range next {
		b.Output(fmt.Sprint("next", i), v)
	}
	var err error
	s.p = b.Build()
	if s.run, err = naive.Compile[float64](s.p); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *matrixStepper) step(t *testing.T, iteration int, g []float64) {
	t.Helper()
	byName := map[string][]float64{"w": s.w, "g": g}
	for i, x := range s.state {
		byName[fmt.Sprint("state", i)] = x
	}
	for i, x := range s.u.Scalars(iteration, 0) {
		byName[fmt.Sprint("scalar", i)] = []float64{x}
	}
	bind := &naive.Bindings[float64]{}
	for _, v := range s.p.Inputs {
		bind.Inputs = append(bind.Inputs, byName[v.Name])
	}
	if err := s.run.Run(bind); err != nil {
		t.Fatal(err)
	}
	copy(s.w, s.run.Output(0))
	for i := range s.state {
		copy(s.state[i], s.run.Output(i+1))
	}
}

// stored returns the order in which a layer may store a matrix or a kernel, [out, in, …], and the parameter.
func stored(shape []int) (order []int, p Parameter) {
	n := len(shape)
	p = Parameter{Name: "W", Shape: slices.Clone(shape)}
	if n < 2 {
		return []int{0}, p
	}
	order = []int{n - 1, n - 2}
	for i := range n - 2 {
		order = append(order, i)
	}
	for i, d := range order {
		p.Shape[i] = shape[d]
	}
	p.Rows = 1
	return order, p
}

// moved returns x, of a shape in C order, with reordered dimensions.
func moved(x []float64, shape, order []int) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		index, rest := make([]int, len(shape)), i
		for d := len(shape) - 1; d >= 0; d-- {
			index[d], rest = rest%shape[d], rest/shape[d]
		}
		at := 0
		for _, d := range order {
			at = at*shape[d] + index[d]
		}
		out[at] = x[i]
	}
	return out
}

// TestKerasMatrices: the parameters and states of Keras' Adafactor and Muon over five steps, however a layer stores the
// matrix. Keras' means are in float32.
func TestKerasMatrices(t *testing.T) {
	text, err := os.ReadFile("testdata/matrices.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []matrixCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		var u Updater
		if err := dl4j.Unmarshal(c.Updater, &u); err != nil {
			t.Fatal(err)
		}
		if err := u.Validate(); err != nil {
			t.Error(err)
		}
		n := len(c.Shape)
		plain := Parameter{Name: "W", Shape: c.Shape}
		if n > 1 {
			plain.Rows, plain.Columns = n-2, n-1
		}
		order, other := stored(c.Shape)
		a, b := newMatrixStepper(t, u.(Shaped), plain, c.Params),
			newMatrixStepper(t, u.(Shaped), other, moved(c.Params, c.Shape, order))
		for k, step := range c.Steps {
			a.step(t, k, step.Gradient)
			b.step(t, k, moved(step.Gradient, c.Shape, order))
			where := fmt.Sprintf("case %d, %T %v, step %d", i, u, c.Shape, k)
			if err := near.All(a.w, step.Params, 1e-7, 1e-6); err != nil {
				t.Fatalf("%s: parameters: %v", where, err)
			}
			if err := near.All(b.w, moved(step.Params, c.Shape, order), 1e-7, 1e-6); err != nil {
				t.Fatalf("%s: parameters, stored otherwise: %v", where, err)
			}
			want := step.State
			if _, ok := u.(Adafactor); ok && n == 1 {
				want = want[len(want)-1:]
			}
			for s, x := range a.state {
				if err := near.All(x, want[s], 1e-7, 1e-6); err != nil {
					t.Fatalf("%s: state %d: %v", where, s, err)
				}
			}
		}
	}
}
