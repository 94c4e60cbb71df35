package stats

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRates: a curve that falls and then rises ends, and the proposal is before its minimum. A flat one has no
// proposal.
func TestRates(t *testing.T) {
	var r, flat Rates
	over := 0
	for i := range 100 {
		rate := math.Pow(10, -7+float64(i)*0.08)
		loss := 2 - 1.5/(1+math.Exp(-4*(math.Log10(rate)+3))) + math.Exp(6*(math.Log10(rate)+0.5))
		if r.Add(rate, loss) {
			over = i
			break
		}
		if flat.Add(rate, 1) {
			t.Fatal("a flat curve left all bounds")
		}
	}
	rate, ok := r.Proposed()
	if over == 0 || !ok || rate < 1e-4 || rate > 0.02 {
		t.Errorf("over after %d, proposed %v, %v", over, rate, ok)
	}
	if _, ok := flat.Proposed(); ok {
		t.Error("a rate of a flat curve")
	}
	if !r.Add(1, math.NaN()) {
		t.Error("NaN goes on")
	}
	for _, name := range []string{"r.html", "r.json"} {
		path := filepath.Join(t.TempDir(), name)
		if err := r.Export(t.Context(), path, "<b>"); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(b), "<h1><b>") || !strings.Contains(string(b), "roposed") {
			t.Errorf("%v: %s", err, b)
		}
		if name == "r.html" {
			expectHead(t, string(b), "<b>")
		}
	}
	if r.Export(t.Context(), "r.csv", "") == nil {
		t.Error("written as .csv")
	}
	if n := len(r.Table(10)); n < 5 || n > 11 {
		t.Errorf("%d lines", n)
	}
}

// TestRatesOfNoise: minibatches whose losses differ at the beginning are no fall.
func TestRatesOfNoise(t *testing.T) {
	r := Rates{Smoothed: []float64{2.35, 2.38, 2.36, 2.335, 2.345, 2.368, 2.366, 2.36, 2.355, 2.35, 2.34, 2.32, 2.28, 2.26,
		2.255, 5}}
	r.Loss = r.Smoothed
	for i := range r.Loss {
		r.Rate = append(r.Rate, math.Pow(10, float64(i)/2-6))
	}
	if rate, ok := r.Proposed(); !ok || rate != r.Rate[11] {
		t.Errorf("proposed %v, %v, want %v", rate, ok, r.Rate[11])
	}
}
