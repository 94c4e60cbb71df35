package cpu

import "github.com/dl4go/dl4go/program"

// adam joins the steps of an update by Adam into one with the same roundings, as momentum does for Nesterov's.
func (p *groupPlan) adam() {
	u := p.uses()
	if len(u.writes) != 3 || u.rereads() {
		return
	}
	last := -1
	for _, i := range u.writes {
		if p.steps[i].form == binaryForm {
			last = i
		}
	}
	if last < 0 {
		return
	}
	change, is := u.change(last) // r·x/(√y + s)
	if !is {
		return
	}
	target := &p.steps[last]
	j, scaled := u.made(change.a, 1)  // r·x
	k, shifted := u.made(change.b, 1) // √y + s
	l, root := u.made(shifted.a, 1)   // √y
	x, ofX, isX := u.scalings(scaled.a)
	y, ofY, isY := u.scalings(root.a)
	if !isX || !isY || !change.is(binaryForm, program.Div) || !scaled.isScaling() ||
		!shifted.is(rightForm, program.Add) || root.form != unaryForm || root.function != program.Sqrt {
		return
	}
	// x is b·m + c·g, and y is d·v + e·g². A sum has the same bits in the other order.
	squared, square := u.made(ofY[1].a, 1)
	if square.function != program.Square {
		ofY[0], ofY[1] = ofY[1], ofY[0]
		squared, square = u.made(ofY[1].a, 1)
	}
	if ofX[1].a != square.a {
		ofX[0], ofX[1] = ofX[1], ofX[0]
	}
	mean, variance := u.flushed(scaled.a), u.flushed(root.a)
	if square.form != unaryForm || square.function != program.Square || ofX[1].a != square.a || mean < 0 || variance < 0 {
		return
	}
	drop := []int{change.at, change.scaling, j, k, l, squared, mean, variance, last}
	p.join(step{form: adamForm, dst: target.dst, a: target.a, b: ofX[0].a, c: ofY[0].a, d: square.a,
		e: p.steps[mean].dst, f: p.steps[variance].dst,
		numbers: numbers{ofX[0].scalar, ofX[1].scalar, ofY[0].scalar, ofY[1].scalar, scaled.scalar, shifted.scalar,
			change.times}},
		append(append(drop, x[:]...), y[:]...)...)
}

// scalings returns the three steps that make a slot as a sum of two products with numbers, the sum last, and the
// products. The slot is read twice.
func (u *uses) scalings(register int) (steps [3]int, of [2]*step, ok bool) {
	k, sum := u.made(register, 2)
	i, a := u.made(sum.a, 1)
	j, b := u.made(sum.b, 1)
	return [3]int{i, j, k}, [2]*step{a, b}, sum.is(binaryForm, program.Add) && a.isScaling() && b.isScaling()
}

// flushed returns the step that writes a slot to memory without denormals, or -1.
func (u *uses) flushed(register int) int {
	for _, i := range u.writes {
		if s := &u.steps[i]; s.form == unaryForm && s.function == program.Flush && s.a == register {
			return i
		}
	}
	return -1
}
