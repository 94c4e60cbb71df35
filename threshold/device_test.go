package threshold

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/program"
)

// besides is a device whose vectors are copies in this process.
type besides struct {
	program.Executor
	kept     program.Kept // nil: the executor keeps no vectors
	vectors  [program.NumVectors][]float32
	home     []float32 // the encoder's
	fetched  int
	changed  bool
	failWith error
}

func (b *besides) Run(x program.Executable, inputs ...[]float32) error {
	if b.failWith != nil {
		return b.failWith
	}
	if b.changed {
		copy(b.vectors[program.Residual], b.home)
		b.changed = false
	}
	return x.Run(&program.Bindings{Inputs: inputs, Vectors: b.vectors, Kept: b.kept})
}

func (b *besides) Fetch() error {
	b.fetched++
	if b.changed {
		return b.failWith // this process has the newer one
	}
	if b.kept != nil {
		if err := b.kept.Fetch(program.Residual); err != nil {
			return err
		}
	}
	copy(b.home, b.vectors[program.Residual])
	return b.failWith
}

func (b *besides) Take() error {
	err := b.Fetch()
	if b.kept != nil {
		b.kept.Changed(program.Residual)
	}
	b.changed = true
	return err
}

// setUpdate sets the update on the device.
func (b *besides) setUpdate(update []float32) {
	if b.kept != nil {
		b.kept.Changed(program.Update)
	}
	copy(b.vectors[program.Update], update)
}

// newBesides makes the device of an encoder.
func newBesides(x program.Executor, e *Encoder) *besides {
	b := &besides{Executor: x, home: e.Residual()}
	b.vectors[program.Update] = make([]float32, len(b.home))
	b.vectors[program.Residual] = make([]float32, len(b.home))
	if k, ok := x.(program.Keeper); ok {
		b.kept = k.Keep()
	}
	return b
}

// deviceExecutor is the executor of the tests' devices.
var deviceExecutor = func(t *testing.T) program.Executor {
	x := cpu.New(cpu.Options{Threads: 1})
	t.Cleanup(x.Close)
	return x
}

// Messages and residuals have the same bits with a device as without one: for all algorithms and forms of messages,
// also where they change from step to step.
func TestDeviceEncodesTheSame(t *testing.T) {
	const n = 3331
	layers := []int{7, 1300, 1301, n}
	executor := deviceExecutor(t)
	for name, c := range map[string]struct {
		a     Algorithm
		o     Options
		post  PostProcessor
		times float32
	}{
		"largest":          {Largest{Share: 0.1}, Options{Mean: true, Layers: layers}, nil, 1},
		"a third":          {Largest{Share: 0.1}, Options{Mean: true, Layers: layers}, nil, 1. / 3},
		"powers":           {Largest{Share: 0.05, Most: 0.5}, Options{Mean: true, Powers: true, Layers: layers}, nil, 1. / 7},
		"few":              {Largest{Share: 0.01}, Options{Mean: true}, nil, 1}, // the mean is that of all values
		"largest, plain":   {Largest{Share: 0.02}, Options{}, nil, 0.3},
		"adaptive":         {NewAdaptive(0.5), Options{}, nil, 1},
		"adaptive, dense":  {NewAdaptive(1e-3), Options{}, nil, 1.5},
		"adaptive, counts": {Adaptive{0.2, 1e-2, 0.1, 0.5, true, math.NaN(), math.NaN()}, Options{}, nil, 0.1},
		"sparsity":         {NewTargetSparsity(0.05), Options{Mean: true, Layers: layers}, nil, 0.7},
		"fixed":            {Fixed{T: 2.5}, Options{}, nil, 1},
		"nothing":          {Fixed{T: 1e6}, Options{}, nil, 1},
		"nothing, layers":  {Fixed{T: 1e6}, Options{Layers: layers}, nil, 1},
		"clipped": {Largest{Share: 0.1}, Options{Mean: true, Layers: layers},
			ResidualClipping{ThresholdMultiple: 0.7, Frequency: 2}, 1},
		"another clipping": {Largest{Share: 0.1}, Options{Mean: true, Layers: layers},
			another{ResidualClipping{ThresholdMultiple: 0.7, Frequency: 2}}, 1},
		"clipped, plain": {Fixed{T: 1}, Options{}, ResidualClipping{ThresholdMultiple: 0.7, Frequency: 2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := newPair(t, executor, n, c.a, c.post, c.o)
			device := there.device.Device.(*besides)
			r := rand.New(rand.NewPCG(1, 2))
			outliers := 0
			for i := range 12 {
				update := drawn(r, n, i)
				device.setUpdate(update)
				want, err := here.EncodeTimes(i, 0, update, c.times)
				if err != nil {
					t.Fatal(err)
				}
				got, err := there.EncodeOnDevice(i, 0, c.times)
				if err != nil {
					t.Fatal(err)
				}
				if err := got.Validate(); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.AppendWire(nil), want.AppendWire(nil)) {
					t.Fatalf("step %d: %v of %d values, want %v of %d", i, got.Form, got.Count, want.Form, want.Count)
				}
				further, further2 := here.Outliers(), there.Outliers()
				outliers += further.Count
				if !slices.Equal(further2.AppendWire(nil), further.AppendWire(nil)) {
					t.Fatalf("step %d: %d outliers, want %d", i, further2.Count, further.Count)
				}
				if a, b := fmt.Sprint(there.State()), fmt.Sprint(here.State()); a != b {
					t.Fatalf("step %d: the state is %s, want %s", i, a, b)
				}
				if i%5 == 1 {
					if err := errors.Join(here.Add(update, 0.4), there.Add(update, 0.4)); err != nil {
						t.Fatal(err)
					}
				}
				if i%4 == 3 && !slices.Equal(there.Residual(), here.Residual()) {
					t.Fatalf("step %d: another residual", i)
				}
			}
			if c.o.Mean != (outliers > 0) {
				t.Errorf("%d outliers", outliers)
			}
			if a, b := there.Totals(), here.Totals(); a != b || c.post != nil && a.Clipped.Count == 0 {
				t.Errorf("totals %+v, want %+v", a, b)
			}
			if a, b := there.Statistics(), here.Statistics(); a != b {
				t.Errorf("statistics %+v, want %+v", a, b)
			}
			if a, b := there.Drop(), here.Drop(); a != b || slices.ContainsFunc(there.Residual(), func(x float32) bool {
				return x != 0
			}) {
				t.Errorf("dropped %+v, want %+v", a, b)
			}
		})
	}
}

// another is a program's own post-processor.
type another struct{ ResidualClipping }

// newPair makes two encoders, the second one with a device.
func newPair(t *testing.T, x program.Executor, n int, a Algorithm, p PostProcessor, o Options) (here, there *Encoder) {
	t.Helper()
	for _, e := range []**Encoder{&here, &there} {
		c := NewCoder(1)
		var err error
		if *e, err = NewEncoder(c, n, a, p, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := there.SetDevice(newBesides(x, there)); err != nil {
		t.Fatal(err)
	}
	return here, there
}

// drawn returns the update of a step: some of its elements are large, one is far larger, many are 0, and few of some
// steps' are not.
func drawn(r *rand.Rand, n, step int) []float32 {
	u := make([]float32, n)
	for i := range u {
		if step%3 == 1 && i%300 != 0 || i%5 == 0 {
			continue
		}
		u[i] = float32(r.NormFloat64())
		if i%97 == 0 {
			u[i] *= 5
		}
	}
	u[n/2+step] = float32(15 * (1 + step*step*step)) // an outlier
	return u
}

// Steps of the default algorithm copy no residual from the device, also where they clip it.
func TestDeviceKeepsTheResidual(t *testing.T) {
	const n = 5000
	_, e := newPair(t, deviceExecutor(t), n, Largest{Share: 0.1}, ResidualClipping{ThresholdMultiple: 0.5, Frequency: 2},
		Options{Layers: []int{100, n}})
	device := e.device.Device.(*besides)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 5 {
		update := make([]float32, n)
		for k := range update {
			update[k] = float32(r.NormFloat64())
		}
		device.setUpdate(update)
		if _, err := e.EncodeOnDevice(i, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if device.fetched != 0 {
		t.Errorf("the residual was copied %d times", device.fetched)
	}
	if e.Totals().Clipped.Count == 0 {
		t.Error("nothing was clipped")
	}
}

// A residual that is not finite is found, and names the parameter. Large numbers that are no overflow are encoded.
func TestDeviceFindsOverflows(t *testing.T) {
	const n = 2000
	x := deviceExecutor(t)
	for _, o := range []Options{{}, {Mean: true, Layers: []int{9, n}}} {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 1e20} {
			_, e := newPair(t, x, n, Largest{Share: 0.1}, nil, o)
			update := make([]float32, n)
			update[1234] = bad
			e.device.Device.(*besides).setUpdate(update)
			_, err := e.EncodeOnDevice(3, 0, 1)
			var overflow *OverflowError
			if !errors.As(err, &overflow) || overflow.Iteration != 3 || overflow.Index != 1234 ||
				math.Float32bits(overflow.Value) != math.Float32bits(bad) {
				t.Errorf("%g: %v", bad, err)
			}
		}
		here, e := newPair(t, x, n, Largest{Share: 0.1}, nil, o)
		update := make([]float32, n)
		update[1234], update[7] = 1.2e19, 3
		e.device.Device.(*besides).setUpdate(update)
		want, err := here.Encode(3, 0, update)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.EncodeOnDevice(3, 0, 1); err != nil || !slices.Equal(got.AppendWire(nil), want.AppendWire(nil)) {
			t.Errorf("a large number: %v, %v", got, err)
		}
	}
}

// A device that fails is an error of the step, also if only copying the residual failed.
func TestDeviceFails(t *testing.T) {
	const n = 50
	_, e := newPair(t, deviceExecutor(t), n, Largest{Share: 0.1}, nil, Options{Mean: true})
	device := e.device.Device.(*besides)
	if _, err := e.Encode(0, 0, make([]float32, n)); err == nil || !strings.Contains(err.Error(), "EncodeOnDevice") {
		t.Errorf("Encode: %v", err)
	}
	device.failWith = errors.New("it is gone")
	if _, err := e.EncodeOnDevice(0, 0, 1); !errors.Is(err, device.failWith) {
		t.Errorf("a failed run: %v", err)
	}
	lost := device.failWith
	e.Residual()
	device.failWith = nil
	if _, err := e.EncodeOnDevice(1, 0, 1); !errors.Is(err, lost) {
		t.Errorf("after a failed copy: %v", err)
	}
	c := NewCoder(1)
	e, err := NewEncoder(c, n, Default(), nil, Options{Ledger: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.SetDevice(device); err == nil {
		t.Error("a ledger on a device")
	}
	e, err = NewEncoder(c, n, Default(), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.EncodeOnDevice(0, 0, 1); err == nil || !strings.Contains(err.Error(), "SetDevice") {
		t.Errorf("without a device: %v", err)
	}
}

// The samples of layers that are too large for one table are those of the host.
func TestSampleInGroups(t *testing.T) {
	for _, n := range []int{1025, 1 << 23, 1<<24 - 1, 1 << 24, 3<<24 + 17, MaxLength} {
		r := ranges{{0, 5}, {5, 5 + n}}
		if n == MaxLength {
			r = ranges{{0, n}}
		}
		places := make([]float32, r.places())
		r.setPlaces(places, 77)
		k := groups(n)
		for i := range runs {
			from, _ := runRange(i*k/runs*runs/k, n)
			if got, want := from+int(places[i*runLength]), runStart(i, n, 77); got != want {
				t.Fatalf("%d parameters: run %d begins at %d, want %d", n, i, got, want)
			}
		}
	}
}
