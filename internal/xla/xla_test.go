//go:build xla

package xla

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// device starts a device process on the plugin of DL4GO_XLA_PLUGIN, with the program DL4GO_XLA.
func device(t testing.TB) *Executor {
	t.Helper()
	e, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// run returns outputs and vectors after two runs.
func run(t testing.TB, e program.Executor, p *program.Program, from *program.Bindings) (r [][]float32) {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &program.Bindings{Key: from.Key, Inputs: from.Inputs}
	for k, v := range from.Vectors {
		b.Vectors[k] = slices.Clone(v)
	}
	for range 2 {
		if err := x.Run(b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range p.Outputs {
		r = append(r, slices.Clone(x.Output(i)))
	}
	return append(r, b.Vectors[:]...)
}

// compare compares a program with the naive executor.
func compare(t *testing.T, e *Executor, p *program.Program, b *program.Bindings) {
	t.Helper()
	want, got := run(t, naive.Executor{}, p, b), run(t, e, p, b)
	for i := range want {
		name := "a vector"
		if i < len(p.Outputs) {
			name = p.Outputs[i].Name
		}
		if d := programtest.Deviation(got[i], want[i], 1e-4); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Every operation alone, with its gradients, over odd and large sizes. Many are in one program, because most of the
// time goes into compiling.
func TestOperations(t *testing.T) {
	e, seen := device(t), map[string]bool{}
	j, n := programtest.NewJoined(), 0
	check := func() {
		p, b := j.Build()
		for _, n := range p.Nodes {
			seen[n.Op.Name()] = true
		}
		compare(t, e, p, b)
		j, n = programtest.NewJoined(), 0
	}
	programtest.Operations(func(name string, lo, hi float64, f programtest.Formula, shapes ...[]int) {
		if err := j.Add(fmt.Sprint(n, " ", name, shapes), lo, hi, f, shapes...); err != nil {
			t.Fatal(err)
		}
		if n++; n == 50 {
			check()
		}
	})
	check()
	for _, op := range naive.Ops() {
		if !seen[op] {
			t.Errorf("%s was not tested", op)
		}
	}
}
