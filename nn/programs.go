package nn

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
)

// programs compiles a network's programs when they are needed, keeps them, and runs them on the network's vectors.
type programs struct {
	values
	backend
	plans planCache
	// owner has the parameters if this network works on those of another network.
	owner *vectors
	// carried holds the states of recurrent layers between runs. If it is not nil, a run begins with the states in it
	// and replaces them by its own.
	carried states
}

// plan returns the compiled program of a purpose for a minibatch; m is nil if the program works on the vectors only.
func (n *programs) plan(p purpose, training bool, m *data.MultiDataSet) (*plan, error) {
	if pl := n.plans.find(p, training, m != nil && n.segmented(), m); pl != nil {
		return pl, nil
	}
	if m == nil {
		return n.newPlan(p, training, nil)
	}
	if err := n.fits(m); err != nil {
		return nil, err
	}
	s := shapesOf(m, p)
	pl, err := n.newPlan(p, training, &s)
	return pl, fitting(err, s, func(s shapes) error {
		_, err := n.newPlan(p, training, &s)
		return err
	})
}

// newPlan compiles the program of a purpose for minibatches of these shapes; nil if it works on the vectors only.
func (n *programs) newPlan(p purpose, training bool, of *shapes) (*plan, error) {
	var l *lowered
	var s shapes
	var err error
	if of == nil {
		l, err = n.lowerVectors(p, n.OnDevice(), nil)
	} else {
		s = *of
		l, err = n.lowerData(p, training, n.segmented(), s)
	}
	if err != nil {
		return nil, err
	}
	pl := prepare(l, p, training, s)
	if pl.exe, err = n.compile(pl.program); err != nil {
		return nil, err
	}
	if len(l.used) > 0 {
		if err := n.addUpdate(pl, l.used); err != nil {
			return nil, err
		}
	}
	n.plans.add(pl)
	return pl, nil
}

// run executes a plan on the network's vectors.
func (n *programs) run(pl *plan, m *data.MultiDataSet, key Key) error {
	if m != nil {
		if err := n.checkInputs(m); err != nil {
			return err
		}
	}
	if n.owner != nil {
		n.owner.take(program.Params)
	}
	n.reside()
	if n.lost != nil {
		return n.lost
	}
	pl.bind(m, n.iteration, n.epoch, n.factor)
	v := &pl.bindings.Vectors
	for k, length := range pl.lengths {
		if length == 0 {
			continue
		}
		switch program.Vector(k) {
		case program.Params:
			v[k] = n.params
		case program.State:
			v[k] = n.state
		case program.Gradient:
			v[k] = n.gradientVector()
		case program.Update:
			v[k] = n.updateVector()
		case program.Residual:
			v[k] = n.residual
		}
	}
	pl.bindings.Key, pl.bindings.Kept = key, n.kept
	if err := pl.bindStates(n.carried); err != nil {
		return err
	}
	err := pl.exe.Run(&pl.bindings)
	if err == nil {
		pl.keepStates(n.carried)
	}
	for k, in := range pl.inputs { // don't keep references to the caller's arrays
		if !in.isNumber() {
			pl.bindings.Inputs[k] = nil
		}
	}
	if err != nil {
		return n.fittingRun(err, pl)
	}
	return nil
}

// segmented reports whether runs begin with the states of the run before.
func (n *programs) segmented() bool { return n.carried != nil }
