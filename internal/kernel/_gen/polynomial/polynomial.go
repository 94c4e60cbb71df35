// Package polynomial has the coefficients of the transcendental kernels. Every instruction set uses the same, so that
// results have the same bits.
package polynomial

import "math"

// fit returns the polynomial of a degree that interpolates f at the Chebyshev nodes of [low, high], lowest coefficient
// first. Its error is within a small factor of the best approximation's.
func fit(f func(float64) float64, low, high float64, degree int) []float64 {
	n := degree + 1
	nodes, newton := make([]float64, n), make([]float64, n)
	for i := range n {
		nodes[i] = (low+high)/2 + (high-low)/2*math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
		newton[i] = f(nodes[i])
	}
	for k := 1; k < n; k++ { // divided differences
		for i := n - 1; i >= k; i-- {
			newton[i] = (newton[i] - newton[i-1]) / (nodes[i] - nodes[i-k])
		}
	}
	p := make([]float64, n) // Newton's form to powers of x
	for k := n - 1; k >= 0; k-- {
		for i := n - 1; i > 0; i-- {
			p[i] = p[i-1] - nodes[k]*p[i]
		}
		p[0] = newton[k] - nodes[k]*p[0]
	}
	return p
}

// Coefficients, lowest first.
var (
	// Exp is P of e^r = 1 + r + r²·P(r) for |r| <= ln(2)/2.
	Exp = fit(func(r float64) float64 {
		if math.Abs(r) < 1e-4 {
			return 1.0/2 + r/6 + r*r/24
		}
		return (math.Expm1(r) - r) / (r * r)
	}, -math.Ln2/2, math.Ln2/2, 4)
	// Log is P of log(1+f) = f + f²·P(f) for 2/3 <= 1+f <= 4/3.
	Log = fit(func(f float64) float64 { return (math.Log1p(f) - f) / (f * f) }, -1.0/3, 1.0/3, 9) // no node at 0
)

// Ln2High and Ln2Low add up to the logarithm of 2. The first is a float32.
const (
	Ln2High = float64(float32(math.Ln2))
	Ln2Low  = math.Ln2 - Ln2High
)
