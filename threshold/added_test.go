package threshold

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
)

// TestEncodeAdded: EncodeAdded sends and keeps what EncodeTimes does, if the caller adds the update with the same
// roundings.
func TestEncodeAdded(t *testing.T) {
	const n = 5*block/2 + 3
	for name, a := range map[string]Algorithm{"largest": Largest{Share: 0.1}, "fixed": Fixed{T: 0.01},
		"default": Default(), "residual": ofResidual{Fixed{T: 0.01}}} {
		for k := range 8 {
			o := Options{Mean: k&1 > 0, Powers: k&2 > 0}
			if k&4 > 0 {
				o.Layers = []int{100, 2*block + 1, n}
			}
			c := NewCoder(1 + k%3)
			testAdded(t, name, n, func() *Encoder { return encoder(t, c, n, a, NewResidualClipping(), o) })
			c.Close()
		}
	}
}

func testAdded(t *testing.T, name string, n int, newEncoder func() *Encoder) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	e, added := newEncoder(), newEncoder()
	u := make([]float32, n)
	for i := range campaign.Count(3, 5, 5) {
		updates(r, u, 0.01)
		times := []float32{1, 0.5, 0.3}[i%3]
		want, err := e.EncodeTimes(i, 0, u, times)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range added.Residual() {
			added.Residual()[k] = x + float32(times*u[k])
		}
		got, err := added.EncodeAdded(i, 0)
		if err != nil {
			t.Fatal(err)
		}
		sameMessage(t, got, want)
		sameMessage(t, added.Outliers(), e.Outliers())
		if !slices.Equal(added.Residual(), e.Residual()) {
			t.Fatalf("%s, %+v, step %d: another residual", name, e.options, i)
		}
	}
}

// TestAddedOverflow: EncodeAdded finds numbers that overflow, wherever they are, and sends nothing.
func TestAddedOverflow(t *testing.T) {
	const n = 3 * block
	for _, layers := range [][]int{nil, {50, block + 50, n}} {
		for _, a := range []Algorithm{Largest{Share: 0.1}, Fixed{T: 1}, Default(), ofResidual{Fixed{T: 1}}} {
			for _, at := range []int{0, 49, 50, 2 * block, n - 1} {
				for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 1e20} {
					e := encoder(t, NewCoder(1), n, a, nil, Options{Layers: layers})
					x := e.Residual()
					for i := range x {
						x[i] = float32(i%7) - 3
					}
					x[at] = v
					before := slices.Clone(x)
					_, err := e.EncodeAdded(3, 0)
					var overflow *OverflowError
					if !errors.As(err, &overflow) || overflow.Index != at || overflow.Iteration != 3 {
						t.Fatalf("%T, layers %v, %g at %d: %v", a, layers, v, at, err)
					}
					for i := range x {
						if x[i] != before[i] && x[i] == x[i] && layers != nil {
							t.Fatalf("%T, layers %v, %g at %d: residual %d is %g, and was %g", a, layers, v, at, i, x[i],
								before[i])
						}
					}
				}
			}
		}
	}
}

// TestAddedLargeNumbers: a number overflows if its square does, though the step takes it out of the residual.
func TestAddedLargeNumbers(t *testing.T) {
	for v, overflows := range map[float32]bool{1e17: false, 1e18: false, -1e19: false, 1.9e19: true, -1e20: true} {
		e := encoder(t, NewCoder(1), 3*piece, Fixed{T: 1}, nil, Options{Mean: true, Layers: []int{50, 3 * piece}})
		for _, at := range []int{10, piece + 60} {
			e.Residual()[at] = v
			_, err := e.EncodeAdded(0, 0)
			if (err != nil) != overflows {
				t.Fatalf("%g at %d: %v", v, at, err)
			}
			if left := e.Residual()[at]; overflows && left != v || !overflows && left != 0 {
				t.Fatalf("%g at %d: %g is left", v, at, left)
			}
			e.Residual()[at] = 0
		}
	}
}

// TestAddedWithLedger: an encoder with a ledger must see the updates.
func TestAddedWithLedger(t *testing.T) {
	e := encoder(t, NewCoder(1), 10, Fixed{T: 1}, nil, Options{Ledger: true})
	if _, err := e.EncodeAdded(0, 0); err == nil {
		t.Error("no error")
	}
}
