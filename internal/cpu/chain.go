package cpu

import "github.com/dl4go/dl4go/program"

// chains joins steps that follow each other into one with the same roundings. Some are a normalisation of channels, the
// sum with another operand, and a maximum. Others are the product with a number, and a sum or difference. The elements
// then pass through registers instead of the first-level cache.
func (p *groupPlan) chains() {
	readers := map[int][]int{} // the steps that read each slot
	for i := range p.steps {
		for _, r := range p.steps[i].reads() {
			readers[r] = append(readers[r], i)
		}
	}
	next := func(i int) (int, *step) { // the only step that reads the result of step i
		if r := readers[p.steps[i].dst]; p.steps[i].dst >= 0 && len(r) == 1 {
			return r[0], &p.steps[r[0]]
		}
		return 0, &step{form: noForm}
	}
	joined := make([]bool, len(p.steps))
	for i := range p.steps {
		var c step
		at := i
		switch s := &p.steps[i]; {
		case joined[i]:
			continue
		case s.form == chunkForm && s.kind == program.Sub && !s.left:
			k, mul := next(i)
			if mul.form != chunkForm || mul.kind != program.Mul {
				continue
			}
			m, add := next(k)
			if add.form != chunkForm || add.kind != program.Add {
				continue
			}
			c, at = step{form: normForm, a: s.a, c: s.b, d: mul.b, e: add.b, access: s.access}, m
			joined[i], joined[k] = true, true
		case s.isScaling():
			k, sum := next(i)
			if c = sum.withScaled(s); c.form == noForm {
				continue
			}
			joined[i] = true
			p.steps[k] = c
			continue
		case s.form == binaryForm && s.kind == program.Add:
			c = *s
		default:
			continue
		}
		if c.form == normForm {
			if m, add := next(at); add.form == binaryForm && add.kind == program.Add && add.a != add.b {
				if k, top := next(m); top.isMax() {
					other := add.a + add.b - p.steps[at].dst
					joined[at], joined[m] = true, true
					c.form, c.b, c.scalar, at = normAddMaxForm, other, top.scalar, k
				}
			} else if add.isMax() {
				joined[at] = true
				c.form, c.scalar, at = normMaxForm, add.scalar, m
			}
		} else if k, top := next(at); top.isMax() {
			joined[at] = true
			c.form, c.scalar, at = addMaxForm, top.scalar, k
		} else {
			continue
		}
		c.dst = p.steps[at].dst
		p.steps[at] = c
	}
	kept := p.steps[:0]
	for i, s := range p.steps {
		if !joined[i] {
			kept = append(kept, s)
		}
	}
	p.steps = kept
}

// isMax reports whether a step is the maximum of a vector and a number.
func (s *step) isMax() bool { return s.form == rightForm && s.kind == program.Maximum }

// isScaling reports whether a step is the product of a vector and a number.
func (s *step) isScaling() bool {
	return (s.form == rightForm || s.form == leftForm) && s.kind == program.Mul
}

// withScaled returns the step that does a product with a number and this sum or difference, or noForm if there is none.
func (s *step) withScaled(product *step) step {
	c := step{form: noForm, dst: s.dst, a: s.a, b: product.a, scalar: product.scalar}
	switch {
	case s.form != binaryForm || s.a == s.b:
	case s.kind == program.Add:
		c.form = addScaledForm
		if s.a == product.dst {
			c.a = s.b
		}
	case s.kind == program.Sub && s.b == product.dst:
		c.form = subScaledForm
	}
	return c
}
