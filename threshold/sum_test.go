package threshold

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
)

// TestSumIsExact checks that a sum of messages moves a vector exactly as far as the messages do, in any order, and that
// it survives the wire.
func TestSumIsExact(t *testing.T) {
	const n, workers = 3*block + 1001, 5
	r := rand.New(rand.NewPCG(7, 8))
	c := NewCoder(2)
	defer c.Close()
	s, u := NewSum(c, n), make([]float32, n)
	var encoders []*Encoder
	for range workers {
		encoders = append(encoders, encoder(t, c, n, Largest{Share: 0.2}, nil,
			Options{Mean: true, Powers: true, Layers: []int{33, block + 5, n}}))
	}
	for i := range 4 {
		want := make([]float64, n)
		var messages []*Message
		for _, e := range encoders {
			updates(r, u, math.Pow(10, -3*r.Float64()))
			m, err := e.Encode(i, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range m.All() {
				want[j] += float64(v)
			}
			kept := &Message{}
			kept.Set(m)
			messages = append(messages, kept)
		}
		r.Shuffle(workers, func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		for _, m := range append(messages, &Message{Length: n}) {
			if !s.Add(m) {
				t.Fatal("a message of powers of two is refused")
			}
		}
		var sum, received Message
		s.Take(&sum)
		if err := sum.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := received.ReadWire(sum.AppendWire(nil), n); err != nil {
			t.Fatal(err)
		}
		sameMessage(t, &received, &sum)
		moved, got := 0.0, make([]float32, n)
		if err := c.Add(&received, got); err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if float64(got[j]) != want[j] {
				t.Fatalf("parameter %d moves by %g, the messages move it by %g", j, got[j], want[j])
			}
			moved += math.Abs(want[j])
		}
		if sum.Moved() != moved || sum.Count == 0 {
			t.Errorf("the sum moves %g, want %g", sum.Moved(), moved)
		}
	}
	var empty Message
	if s.Take(&empty); empty.Form != Empty {
		t.Errorf("a sum of nothing is a %v message", empty.Form)
	}
}

// TestSumRefuses checks that a sum takes only messages that it can add up exactly.
func TestSumRefuses(t *testing.T) {
	of := func(magnitude float32) *Message {
		return &Message{Form: Scaled, Length: 4, Count: 1, Entries: []int32{-2},
			Sections: []Section{{End: 3, Count: 1, Magnitude: magnitude}, {End: 4}}}
	}
	s := NewSum(NewCoder(1), 4)
	other := of(0.5)
	other.Sections[0].End = 2
	for name, m := range map[string]*Message{
		"no power of two": of(0.3), "far smaller": of(0x1p-40), "other sections": other,
		"a large multiple": {Form: Scaled, Length: 4, Count: 1, Entries: []int32{1}, Multiples: []int32{1 << 22},
			Sections: of(1).Sections},
		"sparse": {Form: Sparse, Length: 4, Threshold: 1, Count: 1, Entries: []int32{1}},
		"longer": {Form: Scaled, Length: 5, Count: 1, Entries: []int32{1}, Sections: []Section{{5, 1, 1}}},
	} {
		if !s.Add(of(0.5)) || s.Add(m) || !s.Add(of(0.25)) {
			t.Errorf("%s: taken, or the others are not", name)
		}
		var sum Message
		if s.Take(&sum); !slices.Equal(sum.Multiples, []int32{3}) || sum.Sections[0].Magnitude != 0.25 {
			t.Errorf("%s: the others are %+v", name, sum)
		}
	}
}

// TestLargest checks which elements pass.
func TestLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10, 1000, 50_000} {
		for _, share := range []float64{0.02, 0.1, 0.3} {
			e, u := encoder(t, NewCoder(1), n, Largest{Share: share}, nil, Options{Mean: true}), make([]float32, n)
			for i := range u {
				u[i] = float32(r.NormFloat64())
			}
			m, err := e.Encode(0, 0, u)
			if err != nil {
				t.Fatal(err)
			}
			want := max(1, share*float64(n))
			if !near.Equal(float64(m.Count), want, 0.25*want+1, 0) {
				t.Errorf("%d of %d pass, wanted %g", m.Count, n, want)
			}
			least := float32(math.MaxFloat32)
			for i := range m.All() {
				least = min(least, max(u[i], -u[i]))
			}
			for i, v := range e.Residual() {
				if u[i] == v && max(v, -v) > least {
					t.Fatalf("element %d, %g, waits, though %g has passed", i, v, least)
				}
			}
		}
	}
	few := make([]float32, 50_000)
	few[777] = -3
	e := encoder(t, NewCoder(1), len(few), Largest{Share: 0.1}, nil, Options{Mean: true})
	if m, err := e.Encode(0, 0, few); err != nil || !slices.Equal(values(m), [][2]float64{{777, -3}}) {
		t.Errorf("of one element that moves, sent %v (%v)", values(m), err)
	}
	if m, err := e.Encode(1, 0, nil); err != nil || m.Form != Empty {
		t.Errorf("of no element that moves, sent %+v (%v)", m, err)
	}
	for i := range few {
		few[i] = 1e-6
	}
	for i := range 100 {
		few[500*i] = 1
	}
	if m, err := e.Encode(2, 0, few); err != nil || m.Count != 100 {
		t.Errorf("beside 100 large elements, %d pass (%v)", m.Count, err)
	}
	x := []float32{5, 1, 4, 1, 3, 9, 2, 6}
	sorted := slices.Sorted(slices.Values(x))
	for k, want := range sorted {
		if got := nth(slices.Clone(x), k); got != want {
			t.Errorf("element %d is %g, not %g", k, got, want)
		}
	}
}

// TestPower checks that the power of two next to any magnitude is one that a message can have.
func TestPower(t *testing.T) {
	for magnitude, want := range map[float32]float32{1: 1, 1.5: 2, 1.4: 1, math.MaxFloat32: 0x1p127,
		math.SmallestNonzeroFloat32: math.SmallestNonzeroFloat32} {
		if got := power(magnitude); got != want || !usable(got) {
			t.Errorf("next to %g is %g, not %g", magnitude, got, want)
		}
	}
}

// TestMost checks that more of small layers passes, and that the share of the largest is as before.
func TestMost(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ends := []int{40_000, 50_000, 50_100}
	e, u := encoder(t, NewCoder(1), 50_100, Largest{Share: 0.1, Most: 0.5}, nil, Options{Mean: true, Layers: ends}),
		make([]float32, 50_100)
	for i := range u {
		u[i] = float32(r.NormFloat64())
	}
	m, err := e.Encode(0, 0, u)
	if err != nil {
		t.Fatal(err)
	}
	from := 0
	for i, want := range []float64{0.1, 0.2, 0.32} { // the last is that of values above the root of the mean square
		s := m.Sections[i]
		if got := float64(s.Count) / float64(s.End-from); !near.Equal(got, want, 0.04, 0.1) {
			t.Errorf("of layer %d, %.3f pass, wanted %g", i, got, want)
		}
		from = s.End
	}
	if (Largest{Share: 0.1, Most: 2}).Validate() == nil {
		t.Error("twice a layer may pass")
	}
}
