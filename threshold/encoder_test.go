package threshold

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
)

// updates fills u as a training step might: some layers are much larger than others, and some steps are bursts.
func updates(r *rand.Rand, u []float32, scale float64) {
	layer := 1 + r.IntN(len(u))
	for i := range u {
		u[i] = float32(r.NormFloat64() * scale)
		if i < layer {
			u[i] *= 20
		}
	}
}

func encoder(t *testing.T, c *Coder, n int, a Algorithm, p PostProcessor, o Options) *Encoder {
	t.Helper()
	e, err := NewEncoder(c, n, a, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestConservation checks with random schedules that every update was sent, clipped, dropped, or is in the residual.
// Receivers must apply exactly what was sent.
func TestConservation(t *testing.T) {
	algorithms := []Algorithm{Default(), NewTargetSparsity(1e-2), Fixed{T: 0.01}, halving{Every: 10, Initial: 0.1},
		Largest{Share: 0.1}}
	posts := []PostProcessor{NewResidualClipping(), nil, ResidualClipping{0.5, 1}, zeroing{}}
	forms := map[Form]int64{}
	seeds := campaign.Count(100, 150, 3_000)
	campaign.Record(t).Add(seeds)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		n := 1 + r.IntN(5000)
		o := Options{Ledger: true, Compatible: seed%3 == 0, Mean: seed%4 == 1, Powers: seed%5 == 1}
		if seed%4 == 1 || seed%7 == 0 {
			o.Layers = []int{(n + 1) / 2, n}[n&1:]
			o.Layers[len(o.Layers)-1] = n
		}
		e := encoder(t, NewCoder(1), n, algorithms[r.IntN(5)], posts[r.IntN(4)], o)
		params, u := make([]float32, n), make([]float32, n)
		applied := make([]float64, n)
		var received Message
		for i := range 60 {
			var update []float32
			if r.IntN(10) > 0 {
				updates(r, u, math.Pow(10, -4+3*r.Float64()))
				update = u
			}
			m, err := e.Encode(i, 0, update)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*Message{m, e.Outliers()} {
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
				if err := received.ReadWire(m.AppendWire(nil), n); err != nil {
					t.Fatal(err)
				}
				clear(params)
				if err := e.coder.Subtract(&received, params); err != nil {
					t.Fatal(err)
				}
				for j, v := range params {
					applied[j] -= float64(v)
				}
			}
			if i == 40 && seed%5 == 0 {
				e.Drop()
			}
			if i%20 == 10 && seed%2 == 0 {
				if err := e.Add(u, 0.3); err != nil {
					t.Fatal(err)
				}
			}
		}
		conserved(t, e)
		if !slices.Equal(applied, e.Ledger().Sent) {
			t.Fatal("what was applied is not what was sent")
		}
		totals := e.Totals()
		if totals.Lost.Count > 0 && seed%3 != 0 {
			t.Errorf("lost: %+v", totals.Lost)
		}
		forms[Empty] += totals.Empty
		forms[Sparse] += totals.Sparse
		forms[Bitmap] += totals.Bitmap
		forms[Scaled] += totals.Scaled
		clipped := 0.0
		for _, x := range e.Ledger().Clipped {
			clipped += x
		}
		if !near.Equal(clipped, totals.Clipped.Sum, 1e-6*totals.Clipped.Magnitude, 0) {
			t.Errorf("clipped %g by parameter, %g in all", clipped, totals.Clipped.Sum)
		}
	}
	for f := Empty; f <= Scaled; f++ {
		if forms[f] < 10 {
			t.Errorf("only %d messages were %v", forms[f], f)
		}
	}
}

// TestThreadsAndKernelsDoNotMatter checks that messages, residuals and counts have the same bits.
func TestThreadsAndKernelsDoNotMatter(t *testing.T) {
	const n = 3*block + 1234
	type step struct {
		wire     string
		residual string
		totals   Totals
	}
	scaled := Options{Mean: true, Powers: true, Layers: []int{block + 77, n - 5, n}}
	run := func(c *Coder, a Algorithm, o Options) (steps []step) {
		r := rand.New(rand.NewPCG(1, 1))
		u := make([]float32, n)
		e := encoder(t, c, n, a, ResidualClipping{0.5, 1}, o)
		for i := range 12 {
			for j := range u {
				u[j] = float32(0.02 * r.NormFloat64())
			}
			for j := range 4500 * (i % 2) { // more than fit in the scratch memory of a block
				u[block+j] *= 2000
			}
			m, err := e.Encode(i, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step{string(m.AppendWire(nil)), sum(e.Residual()), e.Totals()})
		}
		return steps
	}
	var want []step
	for _, v := range kernel.Available() {
		for _, threads := range []int{1, 2, 3, 7} {
			c := newCoder(threads, v)
			got := run(c, NewAdaptive(0.1), Options{})
			got = append(got, run(c, Largest{Share: 0.3}, scaled)...)
			c.Close()
			if want == nil {
				want = got
				w := got[len(got)/2-1].totals
				if w.Sparse == 0 || w.Bitmap == 0 || w.Clipped.Count == 0 || got[len(got)-1].totals.Scaled == 0 {
					t.Fatalf("the run does not test much: %+v", w)
				}
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%v with %d threads: step %d differs", v, threads, i)
				}
			}
		}
	}
}

// TestStepsAllocateNothing checks that steps allocate nothing once buffers have grown.
func TestStepsAllocateNothing(t *testing.T) {
	const n = 200_000
	for name, c := range map[string]*Coder{"alone": NewCoder(1), "two threads": NewCoder(2)} {
		defer c.Close()
		for _, a := range []Algorithm{Fixed{T: 0.0001}, Fixed{T: 0.3}, Largest{Share: 0.1}} {
			o := Options{}
			if _, is := a.(Largest); is {
				o = Options{Mean: true, Powers: true, Layers: []int{n / 2, n}}
			}
			e := encoder(t, c, n, a, ResidualClipping{5, 1}, o)
			r := rand.New(rand.NewPCG(1, 1))
			u, params := make([]float32, n), make([]float32, n)
			updates(r, u, 0.001)
			var wire []byte
			var received Message
			i := 0
			step := func() {
				m, err := e.Encode(i, 0, u)
				if err != nil {
					t.Fatal(err)
				}
				wire = m.AppendWire(wire[:0])
				if err := received.ReadWire(wire, n); err != nil {
					t.Fatal(err)
				}
				if err := c.Subtract(&received, params); err != nil {
					t.Fatal(err)
				}
				i++
			}
			for range 20 {
				step()
			}
			if n := allocs.PerRun(20, step); n > 0 {
				t.Errorf("%s, %+v: %g allocations a step; %+v", name, a, n, e.Totals())
			}
		}
	}
}

// TestResumedEncoder checks that an encoder restored from JSON sends the same messages.
func TestResumedEncoder(t *testing.T) {
	const n = 3000
	dense := NewAdaptive(1e-3)
	dense.MinTargetSparsity, dense.MaxTargetSparsity, dense.CountBitmaps = 0.1, 0.15, true
	for name, a := range map[string]Algorithm{"adaptive": Default(), "bitmaps": dense,
		"own": halving{Every: 3, Initial: 0.1}, "layers": dense} {
		o := Options{}
		if name == "layers" {
			o = Options{Mean: true, Layers: []int{10, 2000, n}}
		}
		whole := encoder(t, NewCoder(1), n, a, NewResidualClipping(), o)
		resumed := encoder(t, NewCoder(1), n, a, NewResidualClipping(), o)
		r := rand.New(rand.NewPCG(1, 1))
		u := make([]float32, n)
		for i := range 200 {
			updates(r, u, 1e-3)
			m, err := whole.Encode(i, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			m2, err := resumed.Encode(i, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			sameMessage(t, m2, m)
			text, err := dl4j.Marshal(resumed.State())
			if err != nil {
				t.Fatal(err)
			}
			var s EncoderState
			if err := dl4j.Unmarshal(text, &s); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			next := encoder(t, NewCoder(1), n, a, NewResidualClipping(), o)
			next.SetState(s)
			copy(next.Residual(), resumed.Residual())
			resumed = next
		}
		if totals := whole.Totals(); totals.Bitmap+totals.Scaled == 0 || name == "adaptive" && totals.Sparse == 0 {
			t.Errorf("%s: the run does not test much: %+v", name, totals)
		}
	}
}

// TestCountBitmaps checks that bounds above 1/16 are kept if bitmaps are counted, starting from a threshold that is far
// too low or far too high.
func TestCountBitmaps(t *testing.T) {
	const n = 20000
	for _, initial := range []float64{1e-5, 1} {
		a := NewAdaptive(initial)
		a.MinTargetSparsity, a.MaxTargetSparsity, a.CountBitmaps = 0.1, 0.15, true
		e := encoder(t, NewCoder(1), n, a, NewResidualClipping(), Options{})
		r := rand.New(rand.NewPCG(1, 1))
		u := make([]float32, n)
		values := 0
		for i := range 500 {
			for j := range u {
				u[j] = float32(r.NormFloat64() * 1e-3)
			}
			m, err := e.Encode(i, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			if i >= 400 {
				values += m.Count
			}
		}
		if d := float64(values) / 100 / n; d < 0.1 || d > 0.15 {
			t.Errorf("from a threshold of %g: messages have %.3f of the values in the end, asked 0.1 to 0.15", initial, d)
		}
	}
}

// bad returns an invalid threshold.
type bad struct{ x float64 }

func (b bad) Start() State                    { return NewState() }
func (b bad) From(State) Algorithm            { return b }
func (b bad) Validate() error                 { return nil }
func (b bad) Threshold(*State, *Step) float64 { return b.x }

func TestEncoderErrors(t *testing.T) {
	c := NewCoder(1)
	for want, f := range map[string]func() (*Encoder, error){
		"an encoder of 0 parameters": func() (*Encoder, error) {
			return NewEncoder(c, 0, Default(), nil,
				Options{})
		},
		"an encoder of 2147483647 parameters": func() (*Encoder, error) {
			return NewEncoder(c, MaxLength+1, Default(),
				nil, Options{})
		},
		"an encoder without a threshold algorithm": func() (*Encoder, error) { return NewEncoder(c, 1, nil, nil, Options{}) },
		"FixedThresholdAlgorithm: threshold is 0": func() (*Encoder, error) {
			return NewEncoder(c, 1, Fixed{}, nil,
				Options{})
		},
		"ResidualClippingPostProcessor: threshold": func() (*Encoder, error) {
			return NewEncoder(c, 1, Default(),
				ResidualClipping{}, Options{})
		},
	} {
		if _, err := f(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	e := encoder(t, c, 3, Default(), nil, Options{})
	if _, err := e.Encode(0, 0, make([]float32, 4)); err == nil {
		t.Error("an update of another network is encoded")
	}
	if err := e.Add(make([]float32, 4), 1); err == nil {
		t.Error("a residual of another network is added")
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-60, 1e60} {
		e := encoder(t, c, 3, bad{x}, nil, Options{Ledger: true})
		_, err := e.Encode(7, 0, []float32{1, 2, 3})
		if err == nil || !strings.Contains(err.Error(), "iteration 7: threshold algorithm threshold.bad gave ") {
			t.Errorf("threshold %g: %v", x, err)
		}
		if !slices.Equal(e.Residual(), []float32{1, 2, 3}) {
			t.Errorf("threshold %g: residual %v", x, e.Residual())
		}
		conserved(t, e)
	}
}

// looking is an algorithm that reads the residual.
type looking struct{ seen *[]float32 }

func (l looking) Start() State         { return NewState() }
func (l looking) From(State) Algorithm { return l }
func (l looking) Validate() error      { return nil }
func (l looking) Threshold(_ *State, step *Step) float64 {
	*l.seen = slices.Clone(step.Residual())
	if !slices.Equal(step.Residual(), *l.seen) {
		panic("the update is added twice")
	}
	return 0.5
}

func TestAlgorithmSeesTheResidual(t *testing.T) {
	var seen []float32
	e := encoder(t, NewCoder(1), 3, looking{&seen}, nil, Options{})
	for i, want := range [][]float32{{0.25, 0.5, -1}, {0.5, 0.5, -1.5}, {0.25, 0.5, -2}} {
		if _, err := e.Encode(i, 0, []float32{0.25, 0.5, -1}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(seen, want) {
			t.Errorf("iteration %d: %v, want %v", i, seen, want)
		}
	}
}

// TestOverflow checks that a residual that no message can reduce is an error that names the parameter, for every form
// of message. The encoder works again after Drop.
func TestOverflow(t *testing.T) {
	inf := float32(math.Inf(1))
	const n, at = 3 * block, 2*block + 77
	for name, bad := range map[string]float32{"NaN": float32(math.NaN()), "+Inf": inf, "-Inf": -inf,
		"1e+30": 1e30, "-2e+19": -2e19} {
		for form, a := range map[string]Algorithm{"bitmap": Fixed{T: 1}, "sparse": Fixed{T: 1},
			"by the residual": ofResidual{}} {
			c := NewCoder(1)
			e := encoder(t, c, n, a, NewResidualClipping(), Options{})
			u := make([]float32, n)
			u[5], u[9] = -2, 1e15 // large, but it can be sent
			if form == "sparse" {
				if _, err := e.Encode(1, 0, u); err != nil {
					t.Fatal(err)
				}
			}
			u[at] = bad
			_, err := e.Encode(2, 0, u)
			var overflow *OverflowError
			if !errors.As(err, &overflow) || overflow.Index != at || overflow.Iteration != 2 ||
				!strings.Contains(err.Error(), "("+name+")") {
				t.Errorf("%s, %s: %v, want an OverflowError of parameter %d", name, form, err, at)
			}
			e.Drop()
			clear(u)
			u[3], u[4] = 2, -2
			m, err := e.Encode(3, 0, u)
			if err != nil || m.Count != 2 {
				t.Errorf("%s, %s: after Drop %v moved (%v)", name, form, m, err)
			}
			if s := e.Statistics(); s.Residual.NotFinite != 0 {
				t.Errorf("%s, %s: after Drop the residual is %+v", name, form, s.Residual)
			}
		}
	}
}

// ofResidual reads the residual, so the update is added before the search.
type ofResidual struct{ Fixed }

func (ofResidual) Validate() error { return nil }

func (ofResidual) Threshold(_ *State, s *Step) float64 {
	s.Residual()
	return 1
}

func TestStatistics(t *testing.T) {
	e := encoder(t, NewCoder(1), 4, Fixed{T: 1}, nil, Options{})
	if _, err := e.Encode(5, 2, []float32{3.5, -0.25, 0, 0.5}); err != nil {
		t.Fatal(err)
	}
	want := Statistics{Iteration: 5, Epoch: 2, Form: Bitmap, Threshold: 1, Values: 1, Sparsity: 0.25,
		Residual: ResidualStatistics{Mean: 0.6875, MeanMagnitude: 0.8125, Min: -0.25, Max: 2.5, Above: 1}}
	got := e.Statistics()
	if d := got.Residual.StandardDeviation; !near.Equal(d, 1.0804, 1e-3, 0) {
		t.Errorf("standard deviation %g", d)
	}
	if got.Residual.StandardDeviation = 0; got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if s := Describe(nil, 1); s != (ResidualStatistics{}) {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestDrop(t *testing.T) {
	e := encoder(t, NewCoder(1), 4, Fixed{T: 100}, nil, Options{Ledger: true})
	if _, err := e.Encode(0, 0, []float32{3, -1, 0, 0.5}); err != nil {
		t.Fatal(err)
	}
	want := Removed{Count: 3, Sum: 2.5, Magnitude: 4.5}
	if got := e.Drop(); got != want || e.Totals().Dropped != want {
		t.Errorf("%+v, %+v in all", got, e.Totals().Dropped)
	}
	if !slices.Equal(e.Residual(), make([]float32, 4)) {
		t.Errorf("residual %v", e.Residual())
	}
	conserved(t, e)
}

// TestNothingIsLostBySwitching repeats a run in which Deeplearning4j loses values.
func TestNothingIsLostBySwitching(t *testing.T) {
	run := func(o Options) *Encoder {
		o.Ledger = true
		e := encoder(t, NewCoder(1), 5000, Fixed{T: 0.003}, NewResidualClipping(), o)
		for i := range 60 {
			scale := float32(0.001)
			if i >= 40 {
				scale *= 50
			}
			if _, err := e.Encode(i, 0, oracleVector(9006000+uint64(i), 5000, scale)); err != nil {
				t.Fatal(err)
			}
		}
		conserved(t, e)
		return e
	}
	if theirs := run(Options{Compatible: true}).Totals().Lost; theirs.Count != 312 ||
		!near.Equal(theirs.Magnitude, 312*0.003, 1e-6, 0) {
		t.Errorf("Deeplearning4j loses %+v", theirs)
	}
	if ours := run(Options{}).Totals().Lost; ours != (Removed{}) {
		t.Errorf("lost: %+v", ours)
	}
}
