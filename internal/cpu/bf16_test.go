package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

// bf16 returns the kernels with products of bfloat16 that the machine has. Where it has none, it checks that they are
// refused.
func bf16(t *testing.T) (all []Kernels) {
	t.Helper()
	if _, err := (Kernels{}).WithBF16(); kernel.HasBF16() != (err == nil) {
		t.Fatal(err)
	}
	for name, has := range map[string]bool{"avx512?precision=bf16": kernel.HasBF16(),
		"amx?precision=bf16": kernel.HasAMX()} {
		k, err := ParseKernels(name)
		switch {
		case !has:
			if err == nil {
				t.Errorf("%s is not refused", name)
			}
		case err != nil || k.String() != name:
			t.Errorf("%v by the name %s: %v", k, name, err)
		default:
			all = append(all, k)
		}
	}
	return all
}

// TestKernelsOfBF16: AMX is the default where the machine has it, but avx512 stays what it is.
func TestKernelsOfBF16(t *testing.T) {
	for _, k := range bf16(t) {
		if again, err := k.WithBF16(); again != k || err != nil {
			t.Errorf("%v with products of bfloat16: %v, %v", k, again, err)
		}
	}
	if k, err := (Kernels{}).WithBF16(); err == nil && (k.String() == "amx?precision=bf16") != kernel.HasAMX() {
		t.Errorf("the default is %v", k)
	}
	if k, err := ParseKernels("avx512"); err == nil && kernel.HasBF16() {
		if k, err = k.WithBF16(); err != nil || k.String() != "avx512?precision=bf16" {
			t.Errorf("%v, %v", k, err)
		}
	}
	for _, name := range []string{"portable?precision=bf16", "portable?precision=half", "portable?", "amx",
		"amx?precision=half"} {
		if k, err := ParseKernels(name); err == nil {
			t.Errorf("%s: %v", name, k)
		}
	}
}

// TestProductsOfBF16 compares products and their gradients with the naive executor, which gets factors that need no
// rounding. The gradients flow from the results themselves.
func TestProductsOfBF16(t *testing.T) {
	for _, k := range bf16(t) {
		t.Run(k.String(), func(t *testing.T) { testProducts(t, k) })
	}
}

func testProducts(t *testing.T, k Kernels) {
	e := New(Options{Threads: 2, Kernels: k})
	defer e.Close()
	for trans := range 4 {
		for _, batch := range [][]int{nil, {3}} {
			op := program.MatMul{TransA: trans&1 == 1, TransB: trans&2 == 2}
			a, b := append(batch[:len(batch):len(batch)], 13, 70), append(batch[:len(batch):len(batch)], 70, 37)
			last := len(a) - 1
			if op.TransA {
				a[last], a[last-1] = a[last-1], a[last]
			}
			if op.TransB {
				b[last], b[last-1] = b[last-1], b[last]
			}
			build := program.NewBuilder()
			x, y := build.Input("x", a...), build.Input("y", b...)
			z := build.Apply(op, x, y)
			seed := build.Input("seed", z.Shape...)
			build.Output("z", z)
			for i, g := range build.Gradients(z, seed, []*program.Value{x, y}) {
				build.Output(fmt.Sprint("gradient", i), g)
			}
			againstNaive(t, e, build.Build(), fmt.Sprintf("%+v, %v", op, batch))
		}
	}
}

// againstNaive compares a program with the naive executor. All inputs are factors that need no rounding.
func againstNaive(t *testing.T, e *Executor, p *program.Program, what string) {
	t.Helper()
	bind := &program.Bindings{}
	for i, in := range p.Inputs {
		elements := make([]float32, in.Shape.Size())
		for at := range elements {
			elements[at] = float32(math.Round(float64(random.Uniform(uint64(i), uint64(at)))*200-100)) / 64
		}
		bind.Inputs = append(bind.Inputs, elements)
	}
	want, got := runs(t, naive.Executor{}, p, bind, 1), runs(t, e, p, bind, 2)
	for i := range p.Outputs {
		if d := programtest.Deviation(got[i], want[i], 1e-5); d != "" {
			t.Errorf("%s: %s: %s", what, p.Outputs[i].Name, d)
		}
	}
}

// TestBF16RoundsFactors: 1 + 2⁻⁹ is 1 as a factor, and the sum of products has all bits of float32.
func TestBF16RoundsFactors(t *testing.T) {
	for _, k := range bf16(t) {
		e := New(Options{Threads: 1, Kernels: k})
		defer e.Close()
		build := program.NewBuilder()
		build.Output("y", build.Apply(program.MatMul{}, build.Input("a", 1, 2), build.Input("b", 2, 1)))
		x, err := e.Compile(build.Build())
		if err != nil {
			t.Fatal(err)
		}
		b := &program.Bindings{Inputs: [][]float32{{1 + 0x1p-9, 0x1p-20}, {1, 1}}}
		if err := x.Run(b); err != nil || x.Output(0)[0] != 1+0x1p-20 {
			t.Errorf("%v: %v, %v", k, x.Output(0), err)
		}
	}
}
