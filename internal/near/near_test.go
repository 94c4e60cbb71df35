package near

import (
	"math"
	"testing"
)

func TestEqual(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want, absolute, relative float64
		equal, orNaN                  bool
	}{
		{1, 1, 0, 0, true, true},
		{1.5, 1, 0.5, 0, true, true},
		{1.5, 1, 0.25, 0.25, true, true},
		{1.5, 1, 0.25, 0.125, false, false},
		{-3, -2, 0, 0.5, true, true},
		{-2, -3, 0, 0.25, false, false}, // relative to the wanted number
		{-1, 1, 0.5, 0.5, false, false},
		{inf, inf, 0, 0, true, true},
		{inf, -inf, 1, 1, false, false},
		{inf, 1, inf, 1, false, false},
		{1, inf, 1, 1, false, false},
		{nan, nan, 1, 1, false, true},
		{nan, 1, inf, 1, false, false},
		{1, nan, 1, 1, false, false},
	} {
		if got := Equal(c.got, c.want, c.absolute, c.relative); got != c.equal {
			t.Errorf("Equal(%v, %v, %v, %v) is %v", c.got, c.want, c.absolute, c.relative, got)
		}
		if got := OrNaN(c.got, c.want, c.absolute, c.relative); got != c.orNaN {
			t.Errorf("OrNaN(%v, %v, %v, %v) is %v", c.got, c.want, c.absolute, c.relative, got)
		}
	}
}

func TestAll(t *testing.T) {
	for _, c := range []struct {
		got, want []float32
		problem   string
	}{
		{nil, nil, ""},
		{[]float32{1, 2.5}, []float32{1.25, 2.25}, ""},
		{[]float32{1, 3}, []float32{1, 2}, "element 1 is 3, want 2"},
		{[]float32{1}, []float32{1, 2}, "1 elements, want 2"},
		{[]float32{1, 2}, []float32{1}, "2 elements, want 1"},
	} {
		problem := ""
		if err := All(c.got, c.want, 0.25, 0); err != nil {
			problem = err.Error()
		}
		if problem != c.problem {
			t.Errorf("All(%v, %v) says %q, want %q", c.got, c.want, problem, c.problem)
		}
	}
}
