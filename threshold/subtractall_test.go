package threshold

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
)

// TestSubtractAll: messages of all forms, subtracted together, give what one after the other gives, to the bit.
func TestSubtractAll(t *testing.T) {
	const n = 3*block + 1001
	s := random.NewSource(4)
	var ms []*Message
	for k, share := range []float64{0.1, 0.2, 0.001, 0.3, 0.15, 0, 0.1} {
		residual := make([]float32, n)
		for i := range residual {
			if s.Float64() < share {
				residual[i] = float32(s.Normal())
			}
		}
		e, err := NewEncoder(NewCoder(nil), n, Fixed{0.01 * float64(k+1)}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m Message
		for range 2 { // the first is a bitmap, the second follows from how many values that had
			got, err := e.Encode(0, 0, residual)
			if err != nil {
				t.Fatal(err)
			}
			m.Set(got)
		}
		ms = append(ms, &m)
	}
	forms := map[Form]int{}
	for _, m := range ms {
		forms[m.Form]++
	}
	if forms[Bitmap] < 4 || forms[Sparse] < 1 || forms[Empty] < 1 {
		t.Fatalf("the forms are %v", forms)
	}
	start := make([]float32, n)
	for i := range start {
		start[i] = float32(s.Normal())
	}
	want := slices.Clone(start)
	for _, m := range ms {
		if err := NewCoderFor(nil, kernel.Portable).Subtract(m, want); err != nil {
			t.Fatal(err)
		}
	}
	pool := parallel.New(3)
	defer pool.Close()
	for _, v := range kernel.Available() {
		for _, p := range []*parallel.Pool{nil, pool} {
			got := slices.Clone(start)
			if err := NewCoderFor(p, v).SubtractAll(ms, got); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: other values than one after the other (%v)", v, err)
			}
		}
	}
	if err := NewCoder(nil).SubtractAll(ms, start[1:]); err == nil {
		t.Error("messages of another length are subtracted")
	}
}
