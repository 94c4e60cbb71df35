package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
)

// residence says where a network's vectors are if its executor is a [program.Keeper]. Each run leaves its results on
// the device; they are copied to the host on demand.
type residence struct {
	kept program.Kept // nil: the vectors are on the host
	lost error        // the device failed and the vectors on it are lost
}

// fetch copies vectors to the host for reading.
func (n *vectors) fetch(list ...program.Vector) error {
	if n.kept == nil {
		return n.lost
	}
	for _, v := range list {
		if err := n.kept.Fetch(v); err != nil {
			n.lost = fmt.Errorf("the network's %v is lost with the device: %w; resume from a checkpoint", v, err)
			return n.lost
		}
	}
	return n.lost
}

// take copies vectors to the host for reading and writing. The next run copies them back to the device. If the copy
// fails, the next run, Save and CheckParams return the error.
func (n *vectors) take(list ...program.Vector) {
	if n.kept == nil || n.fetch(list...) != nil {
		return
	}
	for _, v := range list {
		n.kept.Changed(v)
	}
}

// returnHome copies all vectors to the host and frees the device's memory.
func (n *vectors) returnHome() {
	if n.kept != nil {
		n.take(program.Params, program.State, program.Gradient, program.Update, program.Residual)
		n.kept.Close()
		n.kept = nil
	}
}

// keeper returns the executor if the network's vectors can stay on its device.
func (n *programs) keeper() (program.Keeper, bool) {
	k, ok := n.exec().(program.Keeper)
	return k, ok && n.owner == nil
}

// reside makes room for the vectors on the device, if the executor has one.
func (n *programs) reside() {
	if k, ok := n.keeper(); ok && n.kept == nil {
		n.kept = k.Keep()
	}
}

// stepPlan returns the plan of a training step as one computation, forFit or forShare: gradient, the regularisation's
// part of the score, update.
func (n *programs) stepPlan(k program.Keeper, p purpose, m *data.MultiDataSet) (*plan, error) {
	if pl := n.plans.find(p, true, n.segmented(), m); pl != nil {
		return pl, nil
	}
	if err := n.fits(m); err != nil {
		return nil, err
	}
	s := shapesOf(m, p)
	pl, err := n.newStep(k, p, s)
	return pl, fitting(err, s, func(s shapes) error {
		_, err := n.newStep(k, p, s)
		return err
	})
}

// newStep compiles the plan of a training step on minibatches of these shapes.
func (n *programs) newStep(k program.Keeper, p purpose, s shapes) (*plan, error) {
	l, err := n.lowerData(p, true, n.segmented(), s)
	if err != nil {
		return nil, err
	}
	pl := prepare(l, p, true, s)
	last := forStep
	if p == forShare {
		last = forUpdate
	}
	rest := []purpose{last}
	if n.regularised() {
		rest = []purpose{forPenalty, last}
	}
	for _, p := range rest {
		l, err := n.lowerVectors(p, true, nil)
		if err != nil {
			return nil, err
		}
		pl.join(prepare(l, p, true, shapes{}))
	}
	list := []*program.Program{pl.program}
	for _, part := range pl.then {
		list = append(list, part.program)
	}
	if pl.exe, err = k.CompileStep(list...); err != nil {
		return nil, err
	}
	n.plans.add(pl)
	return pl, nil
}

// join adds a program that runs after those of the plan, in the same computation.
func (p *plan) join(next *plan) {
	p.then = append(p.then, next)
	p.bindings.Inputs = append(p.bindings.Inputs, next.bindings.Inputs...)
	for v, length := range next.lengths {
		p.lengths[v] = max(p.lengths[v], length)
	}
	p.lengths[program.Gradient] = 0
}

// fitOnDevice computes the gradient and runs the program of purpose p on it, forStep or forUpdate, as one computation.
// If the score is not finite, the device has changed nothing.
func (n *training) fitOnDevice(k program.Keeper, p purpose, m *data.MultiDataSet, key Key) (float64, error) {
	if len(m.Labels) == 0 {
		return 0, errNoLabels
	}
	whole := forFit
	if p == forUpdate {
		whole = forShare
	}
	pl, err := n.stepPlan(k, whole, m)
	if err != nil {
		return 0, err
	}
	if err := n.run(pl, m, key); err != nil {
		return 0, err
	}
	penalty := 0.0
	if len(pl.then) > 1 {
		penalty = float64(pl.exe.Output(len(pl.program.Outputs))[0])
	}
	return n.meanOf(float64(pl.exe.Output(0)[0]), m) + penalty, nil
}
