package nn

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Output gives the activations of the output layers for a minibatch, new arrays: inference, or with dropout and the
// minibatch's statistics where training is true. Each such pass draws other numbers, the same in each run of a program:
// they follow from how many there were before. The masks of the minibatch count as in Deeplearning4j's
// output(features, training, featuresMask, labelsMask): a label mask multiplies the activations.
func (n *Network) Output(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
	return n.activations(forOutput, m, training)
}

// FeedForward gives the activations of every layer for a minibatch, new arrays.
func (n *Network) FeedForward(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
	return n.activations(forActivations, m, training)
}

func (n *Network) activations(p purpose, m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
	pl, err := n.plan(p, training, m)
	if err != nil {
		return nil, err
	}
	if err := n.run(pl, m, n.passKey(training)); err != nil {
		return nil, err
	}
	out := outputsOf(pl.program, pl.exe)
	return out[:len(out)-len(pl.states)], nil
}

// passKey is the key of the random numbers of a pass outside training steps.
func (n *Network) passKey(training bool) Key {
	k := Key{Seed: n.passes}
	if !training {
		return Key{}
	}
	n.passes++
	return k
}

// outputsOf copies a run's outputs.
func outputsOf(p *program.Program, exe program.Executable) []*tensor.Dense {
	out := make([]*tensor.Dense, len(p.Outputs))
	for i, o := range p.Outputs {
		out[i] = &tensor.Dense{Shape: o.Value.Shape.Clone(), Data: append([]float32(nil), exe.Output(i)...)}
	}
	return out
}

// Score is the score of a minibatch: the mean of the examples' losses plus the regularisation's part.
func (n *Network) Score(m *data.MultiDataSet, training bool) (float64, error) {
	losses, err := n.losses(m, training)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, x := range losses {
		sum += float64(x)
	}
	return n.scoreOf(sum, m)
}

// ScoreExamples is the loss of each example, in inference, with the regularisation's part added to each where
// asked. It does not depend on the other examples, but for layer.OCNNOutput and loss.FMeasure, whose formulas are
// of a whole minibatch.
func (n *Network) ScoreExamples(m *data.MultiDataSet, regularization bool) ([]float64, error) {
	losses, err := n.losses(m, false)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(losses))
	for i, x := range losses {
		out[i] = float64(x)
	}
	if !regularization {
		return out, nil
	}
	penalty, err := n.Penalty()
	for i := range out {
		out[i] += penalty
	}
	return out, err
}

// losses gives the loss of each example; the slice holds until the next run.
func (n *Network) losses(m *data.MultiDataSet, training bool) ([]float32, error) {
	pl, err := n.plan(forScore, training, m)
	if err != nil {
		return nil, err
	}
	if err := n.run(pl, m, n.passKey(training)); err != nil {
		return nil, err
	}
	return pl.exe.Output(0), nil
}

// EachOutput runs inference on minibatches and calls f with each minibatch and its outputs, for example to feed
// evaluations.
func (n *Network) EachOutput(it data.Iterator, f func(m *data.MultiDataSet, outputs []*tensor.Dense) error) error {
	for {
		m, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		out, err := n.Output(m, false)
		if err != nil {
			return err
		}
		if err := f(m, out); err != nil {
			return err
		}
	}
}
