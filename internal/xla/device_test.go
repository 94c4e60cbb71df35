//go:build xla

package xla

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// Random numbers have the processor's bits, so that dropout drops the same elements.
func TestRandomNumbersAreEqual(t *testing.T) {
	b := program.NewBuilder()
	for i, n := range []int{1, 7, 70_001} {
		b.Output(string(rune('a'+i)), b.Random(uint64(i)<<8|5, n))
	}
	p := b.Build()
	bound := programtest.Bind(p, 0, 1)
	for i, want := range run(t, naive.Executor{}, p, bound) {
		if got := run(t, device(t), p, bound)[i]; !slices.Equal(got, want) {
			t.Errorf("stream %d differs", i)
		}
	}
}

// NaN and infinities pass through every operation as on the naive executor.
func TestOperationsOnSpecialNumbers(t *testing.T) {
	p, in := programtest.Special()
	want, got := run(t, naive.Executor{}, p, in), run(t, device(t), p, in)
	for i, o := range p.Outputs {
		if d := programtest.Deviation(got[i], want[i], 1e-5); d != "" {
			t.Errorf("%s: %s", o.Name, d)
		}
	}
}

// step returns the programs of a training step: the gradient of a loss with noise, and momentum.
func step(t *testing.T) (gradient, update *program.Program) {
	t.Helper()
	b := program.NewBuilder()
	w := b.View(program.Params, 0, 5, 3)
	y := b.Apply(program.MatMul{}, b.Input("x", 4, 5), w)
	loss := b.SumAll(b.Unary(program.Square, b.Sub(b.Mul(y, b.Random(3, 4, 3)), b.Scalar(1))))
	b.Output("loss", loss)
	b.Store(program.Gradient, 0, b.Gradients(loss, nil, []*program.Value{w})[0])
	gradient = b.Build()
	b = program.NewBuilder()
	v := b.Add(b.Mul(b.View(program.State, 0, 15), b.Scalar(0.5)), b.Mul(b.View(program.Gradient, 0, 15), b.Input("rate")))
	b.Store(program.State, 0, v)
	b.Store(program.Params, 0, b.Sub(b.View(program.Params, 0, 15), v))
	return gradient, b.Build()
}

// steps trains; the device process is killed before some steps. It returns losses, parameters and state.
func steps(t *testing.T, e *Executor, n int, killed func(i int) bool) (losses, params, state []float32) {
	t.Helper()
	gradient, update := step(t)
	x, err := e.CompileStep(gradient, update)
	if err != nil {
		t.Fatal(err)
	}
	params, state = programtest.Data(1, 15, -1, 1), make([]float32, 15)
	b := &program.Bindings{Kept: e.Keep(), Inputs: [][]float32{nil, {0.01}}}
	b.Vectors[program.Params], b.Vectors[program.State] = params, state
	for i := range n {
		if killed(i) {
			_ = syscall.Kill(e.Process(), syscall.SIGKILL)
		}
		b.Inputs[0] = programtest.Data(uint64(i), 20, -1, 1)
		b.Key.Example = uint64(i)
		if err := x.Run(b); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		losses = append(losses, x.Output(0)[0])
	}
	for _, v := range []program.Vector{program.Params, program.State} {
		if err := b.Kept.Fetch(v); err != nil {
			t.Fatal(err)
		}
	}
	return losses, params, state
}

// If a device process dies, it is replaced, and training continues as if nothing had happened.
func TestDeath(t *testing.T) {
	const n = maxRuns + 9 // the journal is cut once
	losses, params, state := steps(t, device(t), n, func(int) bool { return false })
	again, params2, state2 := steps(t, device(t), n, func(i int) bool { return i == 1 || i == maxRuns-1 || i == n-2 })
	if !slices.Equal(losses, again) || !slices.Equal(params, params2) || !slices.Equal(state, state2) {
		t.Errorf("losses %v, with deaths %v", losses, again)
	}
	if slices.Equal(params, programtest.Data(1, 15, -1, 1)) {
		t.Error("the parameters did not move")
	}
}

// The host's copies of the vectors equal those of the naive executor.
func TestStepIsThatOfTheNaiveExecutor(t *testing.T) {
	losses, params, state := steps(t, device(t), 5, func(int) bool { return false })
	gradient, update := step(t)
	first, err := naive.Executor{}.Compile(gradient)
	if err != nil {
		t.Fatal(err)
	}
	second, err := naive.Executor{}.Compile(update)
	if err != nil {
		t.Fatal(err)
	}
	b := &program.Bindings{}
	b.Vectors[program.Params], b.Vectors[program.State] = programtest.Data(1, 15, -1, 1), make([]float32, 15)
	b.Vectors[program.Gradient] = make([]float32, 15)
	for i := range losses {
		b.Key.Example, b.Inputs = uint64(i), [][]float32{programtest.Data(uint64(i), 20, -1, 1)}
		if err := first.Run(b); err != nil {
			t.Fatal(err)
		}
		if d := programtest.Deviation(losses[i:i+1], first.Output(0), 1e-5); d != "" {
			t.Errorf("step %d: %s", i, d)
		}
		b.Inputs = [][]float32{{0.01}}
		if err := second.Run(b); err != nil {
			t.Fatal(err)
		}
	}
	for v, got := range map[program.Vector][]float32{program.Params: params, program.State: state} {
		if d := programtest.Deviation(got, b.Vectors[v], 1e-5); d != "" {
			t.Errorf("%v: %s", v, d)
		}
	}
}

// A step whose loss is not finite changes nothing.
func TestNotFinite(t *testing.T) {
	e := device(t)
	gradient, update := step(t)
	x, err := e.CompileStep(gradient, update)
	if err != nil {
		t.Fatal(err)
	}
	b := &program.Bindings{Kept: e.Keep(), Inputs: [][]float32{programtest.Data(1, 20, -1, 1), {0.01}}}
	b.Inputs[0][7] = float32(math.NaN())
	params := programtest.Data(1, 15, -1, 1)
	b.Vectors[program.Params], b.Vectors[program.State] = params, make([]float32, 15)
	before := slices.Clone(params)
	if err := x.Run(b); err != nil {
		t.Fatal(err)
	}
	if err := b.Kept.Fetch(program.Params); err != nil {
		t.Fatal(err)
	}
	if loss := x.Output(0)[0]; loss == loss || !slices.Equal(params, before) {
		t.Errorf("the loss is %v, the parameters are %v, were %v", loss, params, before)
	}
}

// Vectors that the host changes between runs are sent again, also to a new device process.
func TestChangedVectors(t *testing.T) {
	train := func(e *Executor, die bool) []float32 {
		gradient, update := step(t)
		x, err := e.CompileStep(gradient, update)
		if err != nil {
			t.Fatal(err)
		}
		params := programtest.Data(1, 15, -1, 1)
		b := &program.Bindings{Kept: e.Keep(), Inputs: [][]float32{programtest.Data(1, 20, -1, 1), {0.01}}}
		b.Vectors[program.Params], b.Vectors[program.State] = params, make([]float32, 15)
		for i := range 6 {
			if i == 3 {
				if err := b.Kept.Fetch(program.Params); err != nil {
					t.Fatal(err)
				}
				b.Kept.Changed(program.Params)
				params[4] = 3
			}
			if die && (i == 3 || i == 5) {
				_ = syscall.Kill(e.Process(), syscall.SIGKILL)
			}
			if err := x.Run(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Kept.Fetch(program.Params); err != nil {
			t.Fatal(err)
		}
		return params
	}
	if a, b := train(device(t), false), train(device(t), true); !slices.Equal(a, b) {
		t.Errorf("%v, with deaths %v", a, b)
	}
}

// A program that was compiled before is read from the cache. If its file is damaged, the program is compiled again.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	compile := func() bool {
		e, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN"), Cache: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		gradient, _ := step(t)
		x, err := e.Compile(gradient)
		if err != nil {
			t.Fatal(err)
		}
		return x.(*executable).cached
	}
	if compile() || !compile() {
		t.Error("the second compilation was not read from the cache")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	if compile() {
		t.Error("a damaged file was used")
	}
}

// Files that are not plugins are errors that name the file.
func TestBadPlugins(t *testing.T) {
	plugin := os.Getenv("DL4GO_XLA_PLUGIN")
	short := filepath.Join(t.TempDir(), "short.so")
	f, err := os.Open(plugin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := make([]byte, 1<<20)
	if _, err := f.Read(head); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(short, head, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{short: "cannot be loaded", "/nowhere/p.so": "cannot be loaded",
		"libm.so.6": "no function GetPjrtApi"} {
		_, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: file})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := New(Options{Program: "/nowhere/dl4go-xla", Plugin: plugin}); err == nil {
		t.Error("a device process was started from nothing")
	}
}
