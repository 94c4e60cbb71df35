package xla

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/program"
)

// twoParameters returns the programs of a step on two parameters: their gradients, and an update with momentum.
func twoParameters() (gradient, update *program.Program) {
	b := program.NewBuilder()
	w, bias := b.View(program.Params, 0, 5, 3), b.View(program.Params, 15, 3)
	loss := b.SumAll(b.Add(b.Apply(program.MatMul{}, b.Input("x", 4, 5), w), bias))
	b.Output("loss", loss)
	for i, g := range b.Gradients(loss, nil, []*program.Value{w, bias}) {
		b.Store(program.Gradient, 15*i, g)
	}
	gradient = b.Build()
	b = program.NewBuilder()
	for _, r := range [][2]int{{0, 15}, {15, 3}} {
		v := b.Add(b.View(program.State, r[0], r[1]), b.View(program.Gradient, r[0], r[1]))
		b.Store(program.State, r[0], v)
		b.Store(program.Update, r[0], v)
		b.Store(program.Params, r[0], b.Sub(b.View(program.Params, r[0], r[1]), v))
	}
	return gradient, b.Build()
}

// A step takes and gives each parameter as an array of its own, in the same memory. It takes no old update, and neither
// cuts nor joins vectors.
func TestStepOfSegments(t *testing.T) {
	gradient, update := twoParameters()
	programs := []*program.Program{gradient, update}
	m, err := lower(programs, cutsOf(programs), arithmetic{}, program.Gradient)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"concatenate", "slice"} {
		if strings.Contains(m.Text, op) {
			t.Errorf("the module has an operation %s:\n%s", op, m.Text)
		}
	}
	if want := []program.Vector{program.Params, program.State}; !slices.Equal(m.Vectors, want) {
		t.Errorf("it takes %v", m.Vectors)
	}
	if want := []program.Vector{program.Params, program.State, program.Update}; !slices.Equal(m.Stored, want) ||
		m.storedSegments() != 6 || strings.Count(m.Text, "tf.aliasing_output") != 4 {
		t.Errorf("it gives %v in %d segments:\n%s", m.Stored, m.storedSegments(), m.Text)
	}
}

// A program that reads a range of several segments joins them, and one that stores such a range cuts it.
func TestRangesOfSegments(t *testing.T) {
	b := program.NewBuilder()
	b.Store(program.Params, 2, b.Neg(b.View(program.Params, 2, 6)))
	programs := []*program.Program{b.Build()}
	c := cutsOf(programs)
	if want := []int{0, 2, 8}; !slices.Equal(c[program.Params], want) {
		t.Errorf("cuts %v, want %v", c[program.Params], want)
	}
	c[program.Params] = c.with(program.Params, 10, []int{5, 12})
	if want := []int{0, 2, 5, 8, 10}; !slices.Equal(c[program.Params], want) {
		t.Errorf("cuts %v, want %v", c[program.Params], want)
	}
	for n, needs := range map[int][]int{10: {0, 2, 8}, 9: {0, 2}, 0: {3}} {
		if c.has(program.Params, n, needs) != (n == 10) {
			t.Errorf("%v of %d elements", needs, n)
		}
	}
	m, err := lower(programs, c, arithmetic{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(m.Text, "concatenate") != 1 || strings.Count(m.Text, "stablehlo.slice") != 2 ||
		m.storedSegments() != 4 {
		t.Errorf("the module is\n%s", m.Text)
	}
}
