package onnx

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
)

// plainActivations are elementwise activations without settings.
var plainActivations = []activation.Activation{activation.ReLU{}, activation.TanH{}, activation.Sigmoid{},
	activation.SoftPlus{}, activation.SoftSign{}, activation.SELU{}, activation.ELU{Alpha: 1}, activation.HardTanH{},
	activation.ReLU6{}, activation.HardSigmoid{}, activation.HardSigmoid6{}, activation.HardSwish{}, activation.Swish{},
	activation.Mish{}, activation.GELUExact{}, activation.GELUTanh{}, activation.GELU{}, activation.GELU{Precise: true},
	activation.Exponential{}, activation.LogSigmoid{}, activation.TanhShrink{}, activation.Cube{},
	activation.RationalTanh{}, activation.RectifiedTanh{}, activation.SparsePlus{}, activation.SparseSigmoid{}}

// settable is an activation with a setting x.
type settable struct {
	make  func(x float64) activation.Activation
	value func(z, x float64) float64
}

// The activations with a setting. The zero value of an activation means its default, so x is not 0.
var settables = []settable{
	{func(x float64) activation.Activation { return activation.LReLU{Alpha: x} },
		func(z, x float64) float64 { return max(z, 0) + x*min(z, 0) }},
	{func(x float64) activation.Activation { return activation.ELU{Alpha: x} },
		func(z, x float64) float64 { return max(z, 0) + x*math.Expm1(min(z, 0)) }},
	{func(x float64) activation.Activation { return activation.CELU{Alpha: x} },
		func(z, x float64) float64 { return max(z, 0) + x*math.Expm1(min(z, 0)/x) }},
	{func(x float64) activation.Activation { return activation.ReLU{Max: &x} },
		func(z, x float64) float64 { return min(max(z, 0), x) }},
	{func(x float64) activation.Activation { return activation.SoftShrink{Threshold: x} },
		func(z, x float64) float64 { return max(z-x, 0) + min(z+x, 0) }},
	{func(x float64) activation.Activation { return activation.HardShrink{Threshold: x} },
		func(z, x float64) float64 { return z * truth(math.Abs(z) > x) }},
	{func(x float64) activation.Activation { return activation.ThresholdedReLU{Theta: x} },
		func(z, x float64) float64 { return z * truth(z > x) }},
	{func(x float64) activation.Activation { return activation.SquarePlus{B: x} },
		func(z, x float64) float64 { return (z + math.Sqrt(z*z+x)) / 2 }}}

// recogniser finds activations by their values.
type recogniser struct {
	samples []float64   // points at which terms are compared
	terms   []*term     // of plainActivations
	values  [][]float64 // of terms at the samples
}

func newRecogniser() *recogniser {
	c := &recogniser{samples: []float64{-60, -25, 25, 60}}
	for i := range 37 { // most activations change near 0
		c.samples = append(c.samples, (float64(i)-18.3)*0.43)
	}
	for _, a := range plainActivations {
		t := termOf(a, argument())
		c.terms, c.values = append(c.terms, t), append(c.values, t.values(c.samples, map[*term][]float64{}))
	}
	return c
}

// mostSettings bounds the numbers of a term that are tried as settings.
const mostSettings = 6

// find returns the activation that computes a term; nil if there is none. Exporters write an activation in several
// ways, so values are compared: at points between −60 and 60, and at both sides of each number of the term.
func (c *recogniser) find(t *term) activation.Activation {
	y := t.values(c.samples, map[*term][]float64{})
	var near, there []float64 // the points at the numbers, and the values there
	numbers := t.numbers()
	closer := func() {
		if near == nil {
			for _, x := range append(numbers, 0) {
				near = append(near, x-1e-3, x+1e-3, -x-1e-3, -x+1e-3)
			}
			there = t.values(near, map[*term][]float64{})
		}
	}
	for i, of := range c.terms {
		if !alike(y, c.values[i], c.samples) {
			continue
		}
		if closer(); alike(there, of.values(near, map[*term][]float64{}), near) {
			return plainActivations[i]
		}
	}
	z := make([]float64, len(c.samples))
	for _, x := range numbers {
		for _, s := range settables {
			if x <= 0 && !s.below(x) {
				continue
			}
			for i, at := range c.samples {
				z[i] = s.value(at, x)
			}
			if !alike(y, z, c.samples) {
				continue
			}
			closer()
			exact := slices.Clone(near)
			for i, at := range near {
				exact[i] = s.value(at, x)
			}
			if alike(there, exact, near) {
				return s.make(x)
			}
		}
	}
	return nil
}

// below reports whether the setting may be x, which is negative.
func (s settable) below(x float64) bool {
	switch s.make(x).(type) {
	case activation.LReLU, activation.ELU:
		return true
	}
	return false
}

// numbers lists numbers that may be a setting: those of the term, and their absolute values.
func (t *term) numbers() (list []float64) {
	seen := map[*term]bool{}
	var visit func(t *term)
	visit = func(t *term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if x := t.number; t.name == "" && x != 0 && math.Abs(x) < 1e6 {
			for _, x := range []float64{x, math.Abs(x)} {
				if len(list) < mostSettings && !slices.Contains(list, x) {
					list = append(list, x)
				}
			}
		}
		for _, a := range t.args {
			visit(a)
		}
	}
	visit(t)
	return list
}

// alike reports whether values are the same but for rounding. Far from 0, a formula of float32 may overflow: there
// infinities and NaN are passed over.
func alike(a, b, z []float64) bool {
	for i := range a {
		x, y := a[i], b[i]
		if far := math.Abs(z[i]) > 20; x-x != 0 && far {
			continue
		}
		if !(math.Abs(x-y) <= 1e-6*max(1, math.Abs(y))) {
			return false
		}
	}
	return true
}
