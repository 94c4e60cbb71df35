package nn

import (
	"errors"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
)

// training changes a network's parameters and state by steps on minibatches.
type training struct {
	recurrent
	gradientLimit float64 // a gradient above it is an anomaly; 0: gradients are not checked
}

var errNoLabels = errors.New("there are no labels to train by")

// gradients runs forward and backward, and returns the score of the minibatch. The gradient is in n.gradient, but for
// rows in use: the update of the plan reads those from the plan.
func (n *training) gradients(p purpose, m *data.MultiDataSet, key Key) (*plan, float64, error) {
	if len(m.Labels) == 0 {
		return nil, 0, errNoLabels
	}
	pl, err := n.plan(p, true, m)
	if err != nil {
		return nil, 0, err
	}
	if err := n.run(pl, m, key); err != nil {
		return nil, 0, err
	}
	score, err := n.scoreOf(float64(pl.exe.Output(0)[0]), m)
	return pl, score, err
}

// Gradient returns score and gradient of a minibatch like Deeplearning4j's computeGradientAndScore. The gradient is
// that of the sum of the examples' losses, without regularisation. It has the layout of the parameters; for batch
// normalisation's statistics it holds their pseudo-gradients. The slice belongs to the network and is valid until the
// next step.
func (n *training) Gradient(m *data.MultiDataSet, key Key) (score float64, gradient []float32, err error) {
	_, score, err = n.gradients(forSum, m, key)
	n.take(program.Gradient)
	return score, n.gradient, err
}

// Updates does the steps of [MultiLayer.Fit] on a minibatch, except for the last part: it computes the gradient,
// changes the updater state, and calls take with the vector to subtract from the parameters. The slice belongs to the
// network and is valid until take returns.
//
// Usually there is one step. With truncated back-propagation there is one for each segment. take must then change the
// parameters and count the iteration, as [Network.Apply] does, because the next segment begins after it. The score is
// the one before the last step. If it is not a finite number, that step has changed nothing.
func (n *training) Updates(m *data.MultiDataSet, key Key, take func(update []float32) error) (float64, error) {
	return n.updates(forUpdate, m, key, func() error {
		n.take(program.Update)
		return take(n.update)
	})
}

// updates does the steps of Updates with the program of purpose p, and calls take after each, when the update is where
// that program puts it.
func (n *training) updates(p purpose, m *data.MultiDataSet, key Key, take func() error) (float64, error) {
	step := func(part *data.MultiDataSet, i int) (float64, error) {
		score, err := n.stepWith(p, part, segmentKey(key, i))
		if err != nil {
			return score, err
		}
		return score, take()
	}
	if n.Truncated() {
		return n.fitSegments(m, step)
	}
	return step(m, 0)
}

// stepWith computes the gradient and runs the program of purpose p on it.
func (n *training) stepWith(p purpose, m *data.MultiDataSet, key Key) (float64, error) {
	if err := n.given(); err != nil {
		return 0, err
	}
	keeper, onDevice := n.keeper()
	onDevice = onDevice && n.gradientLimit == 0
	before := n.copied()
	var pl *plan
	var score float64
	var err error
	if onDevice {
		score, err = n.fitOnDevice(keeper, p, m, key)
	} else {
		pl, score, err = n.gradients(n.gradientFor(p), m, key)
	}
	if err != nil {
		return score, err
	}
	if n.gradientLimit > 0 {
		if err := n.anomaly(score, m, key, before); err != nil {
			return score, err
		}
	}
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return score, n.diverged(score, m, key)
	}
	n.score = score
	if onDevice {
		return score, nil
	}
	if pl, err = n.updateAfter(pl, p); err != nil {
		return score, err
	}
	if err := n.run(pl, nil, key); err != nil || n.gradientLimit == 0 {
		return score, err
	}
	return score, n.updated()
}

// Apply subtracts an update, of the parameters' length, from the parameters and counts the iteration.
func (n *training) Apply(update []float32) error {
	if len(update) != len(n.params) {
		return &LengthError{"update", len(n.params), len(update)}
	}
	pl, err := n.plan(forApply, true, nil)
	if err != nil {
		return err
	}
	own := n.update
	n.take(program.Update)
	n.update = update
	err = n.run(pl, nil, Key{})
	n.take(program.Update)
	n.update = own
	if err == nil {
		n.iteration++
	}
	return err
}

// Constrain applies the network's constraints to the parameters, as each step does at its end. Call it after you
// change the parameters in another way.
func (n *training) Constrain() error {
	pl, err := n.plan(forConstraints, true, nil)
	if err != nil {
		return err
	}
	return n.run(pl, nil, Key{})
}

// fit does one step in one pass over the parameters. The result equals that of Updates and Apply, bit for bit.
func (n *training) fit(m *data.MultiDataSet, key Key) (float64, error) {
	score, err := n.stepWith(forStep, m, key)
	if err == nil {
		n.iteration++
	}
	return score, err
}

// diverged finds the source of a score that is not finite.
func (n *training) diverged(score float64, m *data.MultiDataSet, key Key) error {
	if err := m.CheckFinite(); err != nil {
		return err
	}
	if err := n.CheckParams(); err != nil { // copies them to the host
		return err
	}
	e := &DivergedError{Iteration: n.iteration, Epoch: n.epoch, Score: score}
	if penalty, err := n.Penalty(); err != nil {
		return err
	} else if penalty-penalty != 0 {
		node, largest := n.largestParam()
		e.Layer, e.What = n.place(node), fmt.Sprintf("its parameters reach %g, whose regularisation is not finite", largest)
		return e
	}
	pl, err := n.plan(forActivations, true, m)
	if err != nil {
		return err
	}
	if err := n.run(pl, m, key); err != nil {
		return err
	}
	for i := range n.nodes {
		if at := notFinite(pl.exe.Output(i)); at >= 0 {
			e.Layer, e.What = n.place(i), fmt.Sprintf("its activations hold %v", pl.exe.Output(i)[at])
			return e
		}
	}
	e.Layer, e.What = n.place(n.outputs[0]), "the loss of its activations is not finite"
	return e
}
