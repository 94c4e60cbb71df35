package regularization

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/program"
)

func held(t *testing.T, c Constraint, w []float64, order byte, shape ...int) []float64 {
	t.Helper()
	return heldAs[float64](t, c, w, order, shape...)
}

func heldAs[T naive.Float](t *testing.T, c Constraint, w []float64, order byte, shape ...int) []T {
	t.Helper()
	b := program.NewBuilder()
	b.Output("w", ApplyConstraint(b, c, b.Const(w, shape...), order))
	e, err := naive.Compile[T](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(&naive.Bindings[T]{}); err != nil {
		t.Fatal(err)
	}
	return e.Output(0)
}

func TestConstraintFormulas(t *testing.T) {
	const eps = 1e-6
	w := []float64{3, 0, 4, 0, 0.3, 0, 0.4, 0} // [2, 4]: rows of norm 5 and 0.5
	row := func(a, b float64) []float64 { return []float64{3 * a, 0, 4 * a, 0, 0.3 * b, 0, 0.4 * b, 0} }
	mixed := NewMinMaxNorm(1, 2, 1)
	mixed.Rate = 0.7
	factor := func(n float64) float64 { return 0.7*math.Min(math.Max(n, 1), 2)/(n+eps) + 0.3*(n+eps) }
	for name, x := range map[string]struct {
		c     Constraint
		order byte
		want  []float64
	}{
		"max norm":            {NewMaxNorm(2, 1), 'c', row(2/(5+eps), 0.5/(0.5+eps))},
		"max norm, as stored": {NewMaxNorm(2, 0), 'f', row(2/(5+eps), 0.5/(0.5+eps))}, // of shape [4, 2]
		"min max norm":        {NewMinMaxNorm(1, 2, 1), 'c', row(2/(5+eps), 1/(0.5+eps))},
		"min max norm, rate":  {mixed, 'c', row(factor(5), factor(0.5))},
		"unit norm":           {NewUnitNorm(1), 'c', row(0.2, 2)},
		"non-negative":        {NewNonNegative(), 'c', w},
	} {
		for i, v := range held(t, x.c, w, x.order, 2, 4) {
			if !near.Equal(v, x.want[i], 1e-12, 0) {
				t.Errorf("%s: element %d is %g, want %g", name, i, v, x.want[i])
			}
		}
	}
	if got := held(t, NewNonNegative(), []float64{-1, 2, -3}, 'f', 3); got[0] != 0 || got[1] != 2 || got[2] != 0 {
		t.Errorf("non-negative: %v", got)
	}
	if got := held(t, NewUnitNorm(0), []float64{0, 0}, 'c', 2); got[0] != 0 || got[1] != 0 {
		t.Errorf("unit norm of 0: %v", got)
	}
	none := Target{Dimensions: []int{0}} // a literal without the epsilon
	for _, c := range []Constraint{MaxNorm{Max: 2, Target: none}, MinMaxNorm{Min: 1, Max: 2, Rate: 1, Target: none}} {
		if got := held(t, c, []float64{0, 0}, 'c', 2); got[0] != 0 || got[1] != 0 {
			t.Errorf("%T of 0, without an epsilon: %v", c, got)
		}
	}
	// the squares underflow to 0 in float32
	if got := heldAs[float32](t, NewUnitNorm(0), []float64{3e-25, 4e-25}, 'c',
		2); math.Abs(float64(got[0])-0.6)+math.Abs(float64(got[1])-0.8) > 1e-6 {
		t.Errorf("unit norm of a norm of 5e-25: %v", got)
	}
	// the squares overflow in float32
	for _, c := range []Constraint{NewMaxNorm(1, 0), NewMinMaxNorm(0.5, 1, 0), NewUnitNorm(0)} {
		if got := heldAs[float32](t, c, []float64{3e30, 4e30}, 'c',
			2); math.Abs(float64(got[0])-0.6)+math.Abs(float64(got[1])-0.8) > 1e-6 {
			t.Errorf("%T of a norm of 5e30: %v", c, got)
		}
	}
	// Over three dimensions of four: one norm for each filter.
	got := held(t, NewUnitNorm(1, 2, 3), []float64{3, 4, 6, 8}, 'c', 2, 1, 1, 2)
	for i, want := range []float64{0.6, 0.8, 0.6, 0.8} {
		if !near.Equal(got[i], want, 1e-12, 0) {
			t.Errorf("unit norm of filters: %v", got)
		}
	}
}

func TestConstraintsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/constraints.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Constraint
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
	if n := ConstraintsOn(list, "b"); len(list) != 5 || len(n) != 1 {
		t.Errorf("%d constraints, of which %v are on b", len(list), n)
	}
}

func TestInvalidConstraints(t *testing.T) {
	rate := NewMinMaxNorm(1, 2, 0)
	rate.Rate = 0
	for want, c := range map[string]Constraint{
		"MaxNorm: maxNorm is 0":           NewMaxNorm(0, 0),
		"MaxNorm: dimensions are missing": NewMaxNorm(1),
		"MinMaxNorm: min is 2 and max 1":  NewMinMaxNorm(2, 1, 0),
		"MinMaxNorm: rate is 0":           rate,
		"UnitNorm: dimensions":            NewUnitNorm(),
		"UnitNorm: epsilon is -1":         UnitNorm{Target{Dimensions: []int{0}, Epsilon: -1}},
		"it has 0 to 1":                   NewUnitNorm(2),
	} {
		if err := CheckConstraint(c, []int{3, 4}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", c, err, want)
		}
	}
}
