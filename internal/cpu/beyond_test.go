package cpu

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/program"
)

// TestRunBeyondMemory: a program that exceeds the machine's memory fails, and its executor can run others.
func TestRunBeyondMemory(t *testing.T) {
	if checkup.ReadMemory().Available == 0 {
		return // the size of this machine's memory is unknown
	}
	b := program.NewBuilder()
	b.Store(program.Gradient, 0, b.Add(b.Input("x", 2), b.View(program.Params, 0, 2)))
	e := New(Options{Threads: 1})
	defer e.Close()
	compiled, err := e.Compile(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	x := compiled.(*Executable)
	bound := &program.Bindings{Inputs: [][]float32{{1, 2}}}
	bound.Vectors[program.Params], bound.Vectors[program.Gradient] = make([]float32, 2), make([]float32, 2)
	size := x.arenaSize
	x.arenaSize = 1 << 50
	var none *checkup.MemoryError
	if err := x.Run(bound); !errors.As(err, &none) {
		t.Error(err)
	}
	x.arenaSize = size
	if err := x.Run(bound); err != nil {
		t.Error(err)
	}
}

// TestConvolutionTooLarge: images with more numbers than a convolution can count are an error, and no memory is
// allocated for them.
func TestConvolutionTooLarge(t *testing.T) {
	e := New(Options{Threads: 1})
	defer e.Close()
	b := program.NewBuilder()
	w := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	b.Output("y", b.Apply(program.Conv2D{Window: w}, b.Input("x", 1, 1, 1<<16, 1<<15), b.Input("w", 1, 1, 3, 3)))
	p := b.Build()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := e.Compile(p)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "use smaller images") {
		t.Errorf("an image of 2³¹ pixels: %v", err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes were taken before the error", taken)
	}
}

// TestOutputsBeyondMemory: outputs that exceed the machine's memory are an error at compile time.
func TestOutputsBeyondMemory(t *testing.T) {
	if checkup.ReadMemory().Available == 0 {
		return // the size of this machine's memory is unknown
	}
	b := program.NewBuilder()
	x := b.Input("x", 1<<17, 1<<17)
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		for _, second := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
			b.Output(name+second, b.Mul(x, b.Scalar(2)))
		}
	}
	e := New(Options{Threads: 1})
	defer e.Close()
	var none *checkup.MemoryError
	if _, err := e.Compile(b.Build()); !errors.As(err, &none) {
		t.Errorf("outputs of 46 TB: %v", err)
	}
}
