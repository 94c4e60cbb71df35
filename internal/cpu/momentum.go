package cpu

import "github.com/dl4go/dl4go/program"

// momentum joins the steps of an update with Nesterov's momentum into one with the same roundings: the elements pass
// through registers, and each vector is read once. The steps must be the only ones of the group that write memory.
func (p *groupPlan) momentum() {
	u := p.uses()
	if len(u.writes) != 2 {
		return
	}
	flush, last := u.writes[0], u.writes[1]
	if p.steps[flush].function != program.Flush {
		flush, last = last, flush
	}
	target, moved := &p.steps[last], p.steps[flush].a
	change, is := u.change(last) // m·v - s·w
	if !is || p.steps[flush].function != program.Flush || u.rereads() {
		return
	}
	j, next := u.made(change.b, 1)       // s·w
	k, velocity := u.made(moved, 2)      // w = m·v - r·d
	l, old := u.made(change.a, 2)        // m·v
	n, gradient := u.made(velocity.b, 1) // r·d
	if !change.is(binaryForm, program.Sub) || !velocity.is(binaryForm, program.Sub) || velocity.a != change.a ||
		!next.isScaling() || next.a != moved || !old.isScaling() || !gradient.isScaling() {
		return
	}
	p.join(step{form: momentumForm, dst: target.dst, a: target.a, b: old.a, c: gradient.a, d: p.steps[flush].dst,
		numbers: numbers{old.scalar, gradient.scalar, next.scalar, change.times}},
		change.at, change.scaling, j, k, l, n, flush, last)
}

// uses lists what the steps of a group do with registers.
type uses struct {
	steps   []step
	writes  []int       // steps that write memory
	of      map[int]int // the step that makes a register
	readers map[int]int // how often a register is read
}

func (p *groupPlan) uses() *uses {
	u := &uses{steps: p.steps, of: map[int]int{}, readers: map[int]int{}}
	for i := range p.steps {
		s := &p.steps[i]
		if u.of[s.dst] = i; s.dst < 0 {
			u.writes = append(u.writes, i)
		}
		for _, r := range s.reads() {
			u.readers[r]++
		}
	}
	return u
}

// made returns the step that makes a slot which is read so often.
func (u *uses) made(register, times int) (int, *step) {
	if i, ok := u.of[register]; ok && register >= 0 && u.readers[register] == times {
		return i, &u.steps[i]
	}
	return 0, &step{form: noForm}
}

// change is the step that makes an update. The update is subtracted from the parameters or, times a number, added to
// another vector.
type change struct {
	*step
	at      int
	scaling int // the step that multiplies; without one, that which subtracts
	times   int // the scalar, or minusOne
}

// change returns the update that step last subtracts or adds.
func (u *uses) change(last int) (c change, ok bool) {
	s := &u.steps[last]
	i, made := u.made(s.b, 1)
	switch {
	case s.is(binaryForm, program.Sub):
		return change{made, i, last, minusOne}, true
	case s.is(binaryForm, program.Add) && made.isScaling():
		c.scaling, c.times = i, made.scalar
		c.at, c.step = u.made(made.a, 1)
		return c, true
	}
	return c, false
}

// rereads reports whether a step reads a result that is in memory.
func (u *uses) rereads() bool {
	for _, i := range u.writes {
		if u.readers[u.steps[i].dst] > 0 {
			return true
		}
	}
	return false
}

// join puts one step in the place of several.
func (p *groupPlan) join(joined step, of ...int) {
	drop := map[int]bool{}
	for _, i := range of {
		drop[i] = true
	}
	kept := p.steps[:0]
	for i, s := range p.steps {
		if !drop[i] {
			kept = append(kept, s)
		}
	}
	p.steps = append(kept, joined)
}

// is reports whether a step applies an operation of two operands in this form.
func (s *step) is(f form, kind program.BinaryKind) bool { return s.form == f && s.kind == kind }
