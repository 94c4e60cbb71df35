//go:build xla

package xla

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/internal/xla/faulty"
	"github.com/dl4go/dl4go/program"
)

// TestMain acts as the faulty device process if a test started it as one.
func TestMain(m *testing.M) {
	if os.Getenv(faulty.Fault) != "" {
		faulty.Main()
	}
	os.Exit(m.Run())
}

// faultyDevice starts a device process with a fault.
func faultyDevice(t *testing.T, fault string) *Executor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{Program: self, Plugin: os.Getenv("DL4GO_XLA_PLUGIN"),
		Env: []string{faulty.Fault + "=" + fault, faulty.Real + "=" + os.Getenv("DL4GO_XLA")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// If a device or its process fails in the middle of a step, the process is replaced once, and the step is repeated with
// the same bits.
func TestDeathInAStep(t *testing.T) {
	const n = 8
	never := func(int) bool { return false }
	losses, params, state := steps(t, device(t), n, never)
	for _, fault := range []string{"die", "lost"} {
		e := faultyDevice(t, fault+"=5,"+filepath.Join(t.TempDir(), "happened"))
		first := e.Process()
		again, params2, state2 := steps(t, e, n, never)
		if !slices.Equal(losses, again) || !slices.Equal(params, params2) || !slices.Equal(state, state2) {
			t.Errorf("%s: losses %v, with a fault %v", fault, losses, again)
		}
		if e.started != 2 || e.Process() == first {
			t.Errorf("%s: there were %d device processes", fault, e.started)
		}
	}
}

// A second failure at the same step is the run's error, and the error of later attempts.
func TestDeathsInAStep(t *testing.T) {
	for fault, want := range map[string][]string{
		"die": {"the device process ended: signal: killed", "a second one ended, too, at the same place"},
		"lost": {"cpu", "failed again at the same place with a new device process", "fallen off the bus",
			"resume from the last checkpoint"},
	} {
		t.Run(fault, func(t *testing.T) { testTwoFaults(t, fault, want) })
	}
}

func testTwoFaults(t *testing.T, fault string, want []string) {
	e := faultyDevice(t, fault+"=3")
	gradient, update := step(t)
	x, err := e.CompileStep(gradient, update)
	if err != nil {
		t.Fatal(err)
	}
	b := &program.Bindings{Kept: e.Keep(), Inputs: [][]float32{programtest.Data(1, 20, -1, 1), {0.01}}}
	b.Vectors[program.Params], b.Vectors[program.State] = programtest.Data(1, 15, -1, 1), make([]float32, 15)
	for i := range 3 {
		err = x.Run(b)
		if i < 2 && err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	for _, want := range want {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("two faults: %v, want %q", err, want)
		}
	}
	if e.started != 2 {
		t.Errorf("there were %d device processes, want 2", e.started)
	}
	if err := b.Kept.Fetch(program.Params); err != nil { // repeats the two runs that had started
		t.Errorf("what the first steps made: %v", err)
	}
}

// If a GPU has fallen off the bus, no new device process finds it. The error has both causes and says what to do.
func TestDeathOfTheDevice(t *testing.T) {
	e := faultyDevice(t, "gone=2,"+filepath.Join(t.TempDir(), "happened"))
	e.options.Name, e.options.GPU = "GPU 1", true
	gradient, _ := step(t)
	x, err := e.Compile(gradient)
	if err != nil {
		t.Fatal(err)
	}
	b := programtest.Bind(gradient, -1, 1)
	if err := x.Run(b); err != nil {
		t.Fatal(err)
	}
	err = x.Run(b)
	var failed *DeviceError
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	for _, want := range []string{"GPU 1 (", "fallen off the bus", "CUDA_ERROR_NO_DEVICE", "nvidia-smi", "Xid errors",
		"resume from the last checkpoint with another --device"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if again := x.Run(b); !errors.Is(again, err) {
		t.Errorf("a run after that: %v", again)
	}
}

// If others have taken the memory, the error says how much the program needs.
func TestMemoryTaken(t *testing.T) {
	e := faultyDevice(t, "taken=10")
	gradient, _ := step(t)
	x, err := e.Compile(gradient)
	if err != nil {
		t.Fatal(err)
	}
	err = x.Run(programtest.Bind(gradient, -1, 1))
	var lacks *program.MemoryError
	if !errors.As(err, &lacks) || lacks.Needs != x.(*executable).Memory() || lacks.Cause == nil ||
		!strings.Contains(err.Error(), "RESOURCE_EXHAUSTED") {
		t.Errorf("%#v: %v", lacks, err)
	}
}
