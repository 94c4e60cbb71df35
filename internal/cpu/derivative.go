package cpu

import "github.com/dl4go/dl4go/program"

// derivatives joins the steps of the product with a derivative into one with the same roundings: of tanh, 1 - y², of
// the logistic function, y·(1 - y), and of the rectifier, y > 0.
func (p *groupPlan) derivatives() {
	u := p.uses()
	drop := map[int]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		if drop[i] || !s.is(binaryForm, program.Mul) || s.a == s.b {
			continue
		}
		for _, o := range [][2]int{{s.a, s.b}, {s.b, s.a}} {
			if j, mask := u.made(o[1], 1); mask.form == rightForm && mask.kind == program.Greater {
				drop[j] = true
				*s = step{form: maskForm, dst: s.dst, a: o[0], b: mask.a, scalar: mask.scalar}
				break
			}
			j, k, kernel, y := p.derivative(u, o[1])
			if kernel == nil {
				continue
			}
			drop[j], drop[k] = true, true
			s.a, s.b, s.binary, s.kind = o[0], y, kernel, joinedKind
			break
		}
	}
	kept := p.steps[:0]
	for i, s := range p.steps {
		if !drop[i] {
			kept = append(kept, s)
		}
	}
	p.steps = kept
}

// joinedKind is the kind of a step that does several operations.
const joinedKind program.BinaryKind = "joined"

// derivative returns the two steps that make a derivative of y, and the kernel of its product with another operand; or
// nil if the register has no derivative.
func (p *groupPlan) derivative(u *uses, register int) (i, k int, kernel func(dst, a, b []float32), y int) {
	i, last := u.made(register, 1)
	switch {
	case p.isOneMinus(last):
		k, square := u.made(last.a, 1)
		if square.form == unaryForm && square.function == program.Square {
			return i, k, p.x.executor.vec.TanhGrad, square.a
		}
	case last.is(binaryForm, program.Mul):
		for _, o := range [][2]int{{last.a, last.b}, {last.b, last.a}} {
			if k, rest := u.made(o[1], 1); p.isOneMinus(rest) && rest.a == o[0] {
				return i, k, p.x.executor.vec.SigmoidGrad, o[0]
			}
		}
	}
	return 0, 0, nil, 0
}

// isOneMinus reports whether a step subtracts a vector from 1.
func (p *groupPlan) isOneMinus(s *step) bool {
	if s.form != leftForm || s.kind != program.Sub {
		return false
	}
	c, constant := p.sources[s.scalar].constant()
	return constant && c == 1
}
