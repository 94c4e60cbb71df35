package cpu

import "github.com/dl4go/dl4go/program"

// momentumScalars are the four numbers of a step of Nesterov's momentum: of the old velocity, of the gradient, of the
// new velocity, and of the update. The last one is below 0 if the update is subtracted.
type momentumScalars [4]int

// times returns the factor of the update.
func (m momentumScalars) times(scalars []float32) float32 {
	if m[3] < 0 {
		return -1
	}
	return scalars[m[3]]
}

// momentum joins the steps of an update with Nesterov's momentum into one with the same roundings: the elements pass
// through registers, and each vector is read once. The update is subtracted from the parameters or, times a number,
// added to another vector. The steps must be the only ones of the group that write memory.
func (p *groupPlan) momentum() {
	writes, of, readers := []int{}, map[int]int{}, map[int]int{} // steps that write memory; those that make a slot; uses
	for i := range p.steps {
		s := &p.steps[i]
		if of[s.dst] = i; s.dst < 0 {
			writes = append(writes, i)
		}
		for _, r := range s.reads() {
			readers[r]++
		}
	}
	if len(writes) != 2 {
		return
	}
	flush, last := writes[0], writes[1]
	if p.steps[flush].function != program.Flush {
		flush, last = last, flush
	}
	// made returns the step that makes a slot which is read so often.
	made := func(register, times int) (int, *step) {
		if i, ok := of[register]; ok && register >= 0 && readers[register] == times {
			return i, &p.steps[i]
		}
		return 0, &step{form: noForm}
	}
	target, moved := &p.steps[last], p.steps[flush].a
	if p.steps[flush].function != program.Flush || readers[target.dst]+readers[p.steps[flush].dst] > 0 {
		return
	}
	i, change := made(target.b, 1) // m·v - s·w
	by, times := last, -1
	switch {
	case target.is(binaryForm, program.Sub):
	case target.is(binaryForm, program.Add) && change.isScaling():
		by, times = i, change.scalar
		i, change = made(change.a, 1)
	default:
		return
	}
	j, next := made(change.b, 1)       // s·w
	k, velocity := made(moved, 2)      // w = m·v - r·d
	l, old := made(change.a, 2)        // m·v
	n, gradient := made(velocity.b, 1) // r·d
	if !change.is(binaryForm, program.Sub) || !velocity.is(binaryForm, program.Sub) || velocity.a != change.a ||
		!next.isScaling() || next.a != moved || !old.isScaling() || !gradient.isScaling() {
		return
	}
	joined := step{form: momentumForm, dst: target.dst, a: target.a, b: old.a, c: gradient.a, d: p.steps[flush].dst,
		numbers: momentumScalars{old.scalar, gradient.scalar, next.scalar, times}}
	drop := map[int]bool{i: true, j: true, k: true, l: true, n: true, by: true, flush: true, last: true}
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
