package activation

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/program"
)

// TestFormulas: a formula has the values of its functions.
func TestFormulas(t *testing.T) {
	z := []float64{-2.5, -0.75, 0.5, 3}
	for text, f := range map[string]func(z float64) float64{
		"z":                          func(z float64) float64 { return z },
		" mul( z,sigmoid(z) ) ":      func(z float64) float64 { return z / (1 + math.Exp(-z)) },
		"erf(z)":                     math.Erf,
		"select(greater(z, 0), z,1)": func(z float64) float64 { return map[bool]float64{true: z, false: 1}[z > 0] },
		"min(max(z, -2), 1e0)":       func(z float64) float64 { return min(max(z, -2), 1) },
		"pow(abs(z), 1.5)":           func(z float64) float64 { return math.Pow(math.Abs(z), 1.5) },
	} {
		a, err := NewFormula(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		y, _ := evaluate(t, a, z, z, Env{}, 4, 1)
		for i := range z {
			if !near.Equal(y[i], f(z[i]), 2e-7, 0) {
				t.Errorf("%s of %g is %g, want %g", text, z[i], y[i], f(z[i]))
			}
		}
	}
}

// TestFormulaAsJSON: a formula is written and read again.
func TestFormulaAsJSON(t *testing.T) {
	var a Activation = Formula{"log(add(abs(z), 1))"}
	text, err := dl4j.Marshal(&a)
	if err != nil {
		t.Fatal(err)
	}
	var b Activation
	if err := dl4j.Unmarshal(text, &b); err != nil || a != b {
		t.Errorf("%s: %v, %v", text, b, err)
	}
}

// TestMalformedFormulas: a malformed formula is an error, also in a file, and no network is made with it.
func TestMalformedFormulas(t *testing.T) {
	for _, c := range [][2]string{{" ", "neither"}, {"x", "neither"}, {"warp(z)", "neither"}, {"add(z)", "2 arguments"},
		{"neg(z, z)", "1 arguments"}, {"neg z", "1 arguments"}, {"neg(z) z", "follows"}, {"add(1, 2)", "depend on z"},
		{"add(z, NaN)", "neither"}, {"add(z, Inf)", "neither"}, {"neg(z", "1 arguments"},
		{strings.Repeat("neg(", 300) + "z" + strings.Repeat(")", 300), "within each other"},
		{strings.Repeat(" ", LongestFormula) + "z", "characters"}} {
		if _, err := NewFormula(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%.20q: %v", c[0], err)
		}
		var s *program.ShapeError
		err := program.Try(func() {
			b := program.NewBuilder()
			Formula{c[0]}.Apply(b, b.Input("z", 2, 3), Env{})
		})
		if !errors.As(err, &s) {
			t.Errorf("%.20q in a network: %v", c[0], err)
		}
	}
	for _, members := range []string{`, "formula": 1`, `, "formula": "warp(z)"`, `, "formula": "z", "alpha": 1`} {
		var a Activation
		text := `{"@class": "io.github.dl4go.activations.Formula"` + members + "}"
		if err := dl4j.Unmarshal([]byte(text), &a); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}
