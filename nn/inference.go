package nn

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// inference runs a network forward.
type inference struct {
	programs
	passes uint64 // passes in training's form, without a step
}

// Output returns the activations of the output layers for a minibatch, as new arrays. If training is true, the pass
// uses dropout and the minibatch's statistics, otherwise it is inference. Each training pass draws new random numbers.
// They depend on the number of passes before it, so a second run of the program draws the same ones. The masks of the
// minibatch count as in Deeplearning4j's output(features, training, featuresMask, labelsMask): a label mask multiplies
// the activations.
func (n *inference) Output(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
	return n.activations(forOutput, m, training)
}

// OutputAndScores returns the results of [Network.Output] and [Network.ScoreExamples] from one pass, in inference: the
// activations of the output layers, and the loss of each example without the regularisation's part.
func (n *inference) OutputAndScores(m *data.MultiDataSet) ([]*tensor.Dense, []float64, error) {
	out, err := n.activations(forEvaluation, m, false)
	if err != nil {
		return nil, nil, err
	}
	last := len(out) - 1
	scores := make([]float64, len(out[last].Data))
	for i, x := range out[last].Data {
		scores[i] = float64(x)
	}
	return out[:last], scores, nil
}

// FeedForward returns the activations of every layer for a minibatch, as new arrays.
func (n *inference) FeedForward(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
	return n.activations(forActivations, m, training)
}

func (n *inference) activations(p purpose, m *data.MultiDataSet, training bool) ([]*tensor.Dense, error) {
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

// passKey returns the key of the random numbers of a pass outside training steps.
func (n *inference) passKey(training bool) Key {
	k := Key{Seed: n.passes}
	if !training {
		return Key{}
	}
	n.passes++
	return k
}

// outputsOf copies the outputs of a run.
func outputsOf(p *program.Program, exe program.Executable) []*tensor.Dense {
	out := make([]*tensor.Dense, len(p.Outputs))
	for i, o := range p.Outputs {
		out[i] = &tensor.Dense{Shape: o.Value.Shape.Clone(), Data: append([]float32(nil), exe.Output(i)...)}
	}
	return out
}

// Score returns the score of a minibatch: the mean of the examples' losses plus the regularisation's part.
func (n *inference) Score(m *data.MultiDataSet, training bool) (float64, error) {
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

// ScoreExamples returns the loss of each example, in inference. If regularization is true, it adds the
// regularisation's part to each. The loss of an example does not depend on the others, except for layer.OCNNOutput and
// loss.FMeasure, whose formulas use the whole minibatch.
func (n *inference) ScoreExamples(m *data.MultiDataSet, regularization bool) ([]float64, error) {
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

// scoreOf returns the score of a minibatch whose losses sum to loss.
func (n *inference) scoreOf(loss float64, m *data.MultiDataSet) (float64, error) {
	penalty, err := n.Penalty()
	return n.meanOf(loss, m) + penalty, err
}

// meanOf divides the sum of the losses by the number of examples, unless the network's scores are sums.
func (n *inference) meanOf(loss float64, m *data.MultiDataSet) float64 {
	if n.SumsScores() {
		return loss
	}
	return loss / float64(m.Examples())
}

// Penalty returns the regularisation's part of the score: L1, L2 and weight decay of the present parameters.
func (n *inference) Penalty() (float64, error) {
	if !n.regularised() {
		return 0, nil
	}
	pl, err := n.plan(forPenalty, true, nil)
	if err != nil {
		return 0, err
	}
	if err := n.run(pl, nil, Key{}); err != nil {
		return 0, err
	}
	return float64(pl.exe.Output(0)[0]), nil
}

// losses returns the loss of each example; the slice is valid until the next run.
func (n *inference) losses(m *data.MultiDataSet, training bool) ([]float32, error) {
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
func (n *inference) EachOutput(it data.Iterator, f func(m *data.MultiDataSet, outputs []*tensor.Dense) error) error {
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

// Infer is [Network.Output] in inference, without copies: the arrays belong to the network and are valid until its
// next run. It allocates nothing once the program for the minibatch's shapes is compiled. A network keeps twelve
// programs.
func (n *inference) Infer(m *data.MultiDataSet) ([]*tensor.Dense, error) {
	pl, err := n.plan(forOutput, false, m)
	if err != nil {
		return nil, err
	}
	if err := n.run(pl, m, Key{}); err != nil {
		return nil, err
	}
	outputs := pl.program.Outputs[:len(pl.program.Outputs)-len(pl.states)]
	if pl.views == nil {
		for _, o := range outputs {
			pl.views = append(pl.views, &tensor.Dense{Shape: o.Value.Shape.Clone()})
		}
	}
	for i, v := range pl.views {
		v.Data = pl.exe.Output(i)
	}
	return pl.views, nil
}
